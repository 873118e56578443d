"""What is done at each event of a client's session; what a function returns the model is told."""

from __future__ import annotations

from milepost.config import inbox_folder
from milepost.sessions import inbox
from milepost.values import NamedTuple
from milepost.workspace.project import detect
from milepost.workspace.values import EVERYWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from milepost.config import Settings
    from milepost.sessions.values import Briefing
    from milepost.surfaces.hooks.chain import Attempt
    from milepost.surfaces.hooks.options import Options
    from milepost.workspace.values import Project

# A briefing longer than this would be cut by the client to a preview.
TEXT_CHARS_MAX = 9_500


class HookEvent(NamedTuple):
    """What the client told, and how the memory is reached."""

    given: dict[str, Any]
    settings: Settings
    options: Options
    # When a way to the memory must have answered, by the monotonic clock.
    until: float
    # Whether the client takes what the model shall be told.
    is_told: bool
    # The ways that were tried.
    attempts: list[Attempt]

    def text(self, name: str) -> str:
        """Return a text that the client told, or nothing."""
        value = self.given.get(name)
        return value if isinstance(value, str) else ""

    @property
    def session(self) -> str | None:
        """The client's session."""
        return self.text("session_id")[:200].strip() or None

    @property
    def project(self) -> Project:
        """The project of the folder that the agent works in, unless the settings name another."""
        found, named = detect(self.text("cwd")), self.settings.project
        if not named:
            return found
        return found._replace(name=None if named == EVERYWHERE else named, identity="")

    def ask(self, name: str, **arguments: Any) -> Any:
        """Ask the memory."""
        from milepost.surfaces.hooks import chain

        return chain.ask(self.settings, self.options, name, arguments, self.until, self.attempts)


def session_start(event: HookEvent) -> Briefing:
    """Brief a session on the project, the branch and what was done lately."""
    briefing: Briefing = event.ask("brief", **about_start(event))
    from milepost.surfaces import reach

    reach.start_warm(event.settings)
    return briefing


def about_start(event: HookEvent) -> dict[str, Any]:
    """Return what the memory is asked with at the start of a session."""
    from milepost.workspace.git import Looking, Recent

    project = event.project
    looking = Looking(project.root) if project.git else None
    from milepost.surfaces import reach  # noqa: F401 -- while git looks

    recent = looking.answer() if looking else Recent()
    source = event.text("source")
    return {
        "project": project.name,
        "identity": project.identity or None,
        "branch": project.branch or None,
        "commits": list(recent.commits),
        "files": [*recent.changed, *recent.committed],
        "session": event.session,
        "source": source if source in ("resume", "clear", "compact") else "startup",
        "folder": project.root or None,
    }


def prompt_submit(event: HookEvent) -> Briefing | None:
    """Remind a session of what is known about its prompt, if the prompt calls for it."""
    prompt = event.text("prompt")
    if not prompt.strip():
        return None
    _leave(event, {"type": "user", "message": {"role": "user", "content": prompt}})
    if not event.is_told and "#remember" not in prompt:
        return None  # what is told to nobody must not count as known
    project = event.project
    briefing: Briefing = event.ask(
        "remind",
        prompt=prompt,
        session=event.session,
        project=project.name,
        folder=project.root or None,
    )
    return briefing


def post_tool_use(event: HookEvent) -> None:
    """Leave a tool's call and what came of it to be read later."""
    tool = event.text("tool_name")
    if not tool or (tool.startswith("mcp__") and "milepost" in tool):
        return
    number = event.text("tool_use_id") or "call"
    failed, said = _outcome(event)
    use = {"type": "tool_use", "id": number, "name": tool, "input": event.given.get("tool_input")}
    came = {"type": "tool_result", "tool_use_id": number, "content": said, "is_error": failed}
    _leave(event, {"type": "assistant", "message": {"role": "assistant", "content": [use]}})
    _leave(event, {"type": "user", "message": {"role": "user", "content": [came]}})


def stop(event: HookEvent) -> None:
    """Have the turn that ended read in the background."""
    said = event.text("last_assistant_message")
    if said:
        content = [{"type": "text", "text": said}]
        _leave(event, {"type": "assistant", "message": {"role": "assistant", "content": content}})
    _end(event, "turn")


def session_end(event: HookEvent) -> None:
    """Have the whole session read in the background."""
    _end(event, "end")


def pre_compact(event: HookEvent) -> None:
    """Save what the session is about to lose; the briefing that follows gives it back."""
    from milepost.sessions.transcript import read_transcript

    if event.session is None:
        return
    project = event.project
    turns = read_transcript(inbox.tail(event.text("transcript_path"), inbox.TAIL_BYTES))
    event.ask(
        "notice",
        session=event.session,
        turns=[turn._asdict() for turn in turns[-1_000:]],
        project=project.name,
        stage="compaction",
        folder=project.root or None,
    )


EVENTS: dict[str, Callable[[HookEvent], Briefing | None]] = {
    "session-start": session_start,
    "prompt-submit": prompt_submit,
    "post-tool-use": post_tool_use,
    "stop": stop,
    "session-end": session_end,
    "pre-compact": pre_compact,
}


def _outcome(event: HookEvent) -> tuple[bool, str]:
    """Return whether a call failed, and what came of it as text."""
    error = event.given.get("error")
    came = event.given.get("tool_response")
    if error:
        return True, str(error)
    if not isinstance(came, dict):
        return False, came if isinstance(came, str) else _as_json(came)
    code = came.get("exit_code", came.get("exitCode", came.get("returnCode", 0)))
    failed = came.get("is_error") is True or came.get("success") is False or code not in (0, None)
    said = [came[name] for name in ("stdout", "stderr", "error", "output") if came.get(name)]
    return failed, "\n".join(map(str, said)) if said else _as_json(came)


def _as_json(value: object) -> str:
    import json

    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _now() -> str:
    """Return the time as transcripts have it."""
    import time

    seconds, micros = divmod(time.time_ns() // 1_000, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{micros:06d}Z"


def _leave(event: HookEvent, line: dict[str, Any]) -> None:
    """Put a line of a transcript into the inbox, without secrets."""
    from milepost.memory.validation import REDACT, Intake

    if event.session is None:
        return
    # Whose it is, should the session never say that it ended.
    of = {"session": event.session, "space": event.settings.space}
    # Some are secrets by the name that they stand under alone.
    turn = Intake(REDACT).values("turn", _safe_to_leave(line)) | {"timestamp": _now()}
    entry = {"turn": turn, "of": of | {"transcript": event.text("transcript_path")}}
    _append(event, event.session, entry)


def _append(event: HookEvent, session: str, entry: dict[str, Any]) -> None:
    from milepost.unlocking import lines_beside

    inbox.append(inbox_folder(event.settings), session, entry, lines_beside(event.settings))


def _safe_to_leave(value: Any, depth: int = 0) -> Any:
    """Return the same with every text shortened and without secrets."""
    from milepost.text.secrets import ends_without_secrets

    if isinstance(value, str):
        return inbox.shortened(ends_without_secrets(value, 4 * inbox.TEXT_CHARS_MAX))
    if depth > 8:
        return None
    if isinstance(value, dict):
        return {str(key)[:100]: _safe_to_leave(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_safe_to_leave(inner, depth + 1) for inner in value[:50]]
    return value


def _end(event: HookEvent, stage: str) -> None:
    if event.session is None:
        return
    project = event.project
    about = {
        "mark": stage,
        "session": event.session,
        "space": event.settings.space,
        "transcript": event.text("transcript_path"),
        "project": project.name,
        "folder": project.root or None,
        "branch": "" if project.is_main else project.branch,
        "head": project.head or None,
    }
    from milepost.surfaces.hooks import chain

    _append(event, event.session, about)
    chain.start_work(event.settings)
