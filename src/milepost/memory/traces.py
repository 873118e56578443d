"""What is kept of a session beside its memories: it goes when the whole session is erased."""

from milepost.memory.context import Context


class SessionTraces:
    """Who else keeps something of sessions."""

    def episodes(self, context: Context, session: str, project: str | None) -> list[str]:
        """Return the episodes of a session."""
        raise NotImplementedError

    def erase(self, context: Context, session: str, project: str | None) -> None:
        """Leave nothing of a session."""
        raise NotImplementedError

    def close(self) -> None:
        """End with the store; nothing is open."""
