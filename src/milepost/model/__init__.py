"""Values without I/O; those that operations return lie in the modules named here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RESULTS = ("results", "briefing", "experience")


def result_type(name: str) -> Any:
    """Return the type of a result by its name; modules are loaded until it is found."""
    for module in RESULTS:
        found = getattr(__import__(f"milepost.model.{module}", fromlist=("_",)), name, None)
        if found is not None:
            return found
    raise LookupError(f"no result is called {name}")


def result_types() -> dict[str, Any]:
    """Return all types of results by their names."""
    modules = (__import__(f"milepost.model.{module}", fromlist=("_",)) for module in RESULTS)
    return {name: kind for module in modules for name, kind in vars(module).items()}
