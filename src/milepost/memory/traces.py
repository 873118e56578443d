"""What is kept of a session beside its memories: it goes when the whole session is erased."""

from milepost.memory.context import Context


class SessionTraces:
    """Who else keeps something of sessions, by names of their own."""

    def of(self, context: Context, session: str, project: str | None) -> list[str]:
        """Return what is kept of a session."""
        raise NotImplementedError

    def erase(self, context: Context, names: list[str]) -> None:
        """Leave nothing of what is named."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""
