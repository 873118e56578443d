"""Look after the memory: is it well."""

from milepost.model.results import CompactHealthInfo
from milepost.operation import operation
from milepost.services.context import Context, Service


class Admin(Service):
    """The operations about the memory itself."""

    @operation("admin", example="health()", read_only=True, aliases=("health_check",))
    def health(self) -> CompactHealthInfo:
        """Tell whether the memory works, how many memories it holds and where; never raises."""
        try:
            context = self._context
            count = context.store.count(context.space, context.clock())
        except Exception as problem:  # noqa: BLE001 -- this is where any failure is told
            return CompactHealthInfo("error", 0, "none").noted([str(problem)])
        return _state(context, count)


def _state(context: Context, count: int) -> CompactHealthInfo:
    away = context.texts.problems()
    status = "degraded" if away else "healthy"
    notes = away + context.programs.problems()
    return CompactHealthInfo(status, count, context.store.backend).noted(notes)
