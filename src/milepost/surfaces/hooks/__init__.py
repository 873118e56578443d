"""`milepost hook EVENT`: a client's event on standard input, what the model is told on output.

Whatever happens, a hook ends within its time and stops nobody: the agent goes on without it.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from milepost.config import Settings
    from milepost.sessions.values import Briefing
    from milepost.surfaces.hooks.chain import Attempt
    from milepost.surfaces.hooks.dialects import Dialect
    from milepost.surfaces.hooks.options import Options

# A client sends kilobytes; a tool's answer may be large.
INPUT_BYTES_MAX = 32 << 20
# How much of the time another environment may take.
_ELSEWHERE = 0.6


def main(name: str, flags: Mapping[str, object] | None = None) -> int:
    """Answer one event; 1 only if Milepost itself cannot be loaded, so that another one is tried.

    Then nothing of the client's words has been read yet. 2 only for a person who misspelt an event.
    """
    started = time.monotonic()
    settings = None
    try:
        from milepost.config import settings_of, trace_settings
        from milepost.request import begin
        from milepost.surfaces.hooks import events
        from milepost.surfaces.hooks.options import load_options
    except Exception as problem:  # noqa: BLE001 -- what a broken installation raises is any of them
        print(f"milepost: {type(problem).__name__}: {problem}", file=sys.stderr)
        return 1
    begin()
    try:
        origins = trace_settings(flags)
        settings = settings_of(origins)
        if name not in events.EVENTS:
            return _refuse(name, settings, events.EVENTS)
        _answer(name, settings, load_options(origins), started)
    except Exception as problem:  # noqa: BLE001 -- a hook must never stand in the agent's way
        _tell_of(name, settings, problem)
    return 0


def _refuse(name: str, settings: Settings, events: Iterable[str]) -> int:
    """Say that there is no such event; only who sits at a terminal is told that it failed."""
    text = f"no hook is called {name!r}; there are {', '.join(events)}"
    print(f"milepost: {text}", file=sys.stderr)
    if sys.stdin is not None and sys.stdin.isatty():
        return 2
    _log(settings, text)
    return 0


def _answer(name: str, settings: Settings, options: Options, started: float) -> None:
    _end_in_time(options.timeout_ms / 1e3, name, settings)
    raw = sys.stdin.buffer.read(INPUT_BYTES_MAX)
    until = started + options.timeout_ms / 1e3
    if is_elsewhere(options.python) and _is_forwarded(options.python, name, raw, settings, until):
        return
    from milepost.surfaces.hooks.dialects import dialect_of, translated
    from milepost.surfaces.hooks.events import EVENTS, HookEvent

    given = read_fields(raw)
    dialect = dialect_of(given)
    fields = translated(given, dialect)
    event = HookEvent(fields, settings, options, until, name in dialect.tells, [])
    try:
        briefing = EVENTS[name](event)
        if briefing is not None:
            _tell(name, briefing, dialect, fields)
            if options.metrics:
                for line in _lines(briefing, event.attempts, time.monotonic() - started):
                    print(line, file=sys.stderr)
        _log_detour(name, settings, event.attempts)
    finally:
        if any(attempt.hangs for attempt in event.attempts):
            # A thread that hangs would keep this process from ending, or end with it half-way.
            _leave_at_once(name, settings)


def read_fields(raw: bytes) -> dict[str, Any]:
    """Return the object that a client sent."""
    import json

    fields = json.loads(raw)
    if not isinstance(fields, dict):
        raise TypeError("the client did not send an object")
    return fields


def _tell(name: str, briefing: Briefing, dialect: Dialect, fields: dict[str, Any]) -> None:
    """Print what the model shall be told, as the client takes it."""
    import json

    from milepost.surfaces.hooks.dialects import answer
    from milepost.surfaces.hooks.events import TEXT_CHARS_MAX

    if not briefing.text:
        return
    if len(briefing.text) > TEXT_CHARS_MAX:
        raise RuntimeError(f"the client takes no briefing of {len(briefing.text):,} characters")
    said = answer(dialect, name, fields, briefing.text)
    if said:
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def _lines(briefing: Briefing, attempts: list[Attempt], seconds: float) -> Iterator[str]:
    """Yield what a person is told of it."""
    if briefing.remembered:
        yield f"milepost: remembered {briefing.remembered}"
    if briefing.text:
        count = len(briefing.hashes)
        what = "notes" if not count else f"{count} {'memory' if count == 1 else 'memories'}"
        saved = f"; whole objects would have been {briefing.instead_of:,}"
        yield (
            f"milepost: {what} in {seconds * 1e3:.0f} ms, about {briefing.tokens:,} tokens"
            f"{saved if briefing.instead_of > briefing.tokens else ''}{_detour(attempts)}"
        )


def _detour(attempts: list[Attempt]) -> str:
    """Return a word on what did not answer, where that is worth one."""
    from milepost.surfaces.hooks.chain import MCP, PLAIN

    if not attempts or attempts[-1].way not in (MCP, PLAIN):
        return ""
    failed = [attempt for attempt in attempts[:-1] if attempt.problem]
    why = f" because the {failed[-1].way} failed" if failed else ""
    return f"; by {attempts[-1].way}{why}, `milepost doctor` tells more" if why else ""


def _log_detour(name: str, settings: Settings, attempts: list[Attempt]) -> None:
    """Log why the store was not asked, if it had to be."""
    from milepost.surfaces.hooks.chain import MCP, PLAIN

    if attempts and attempts[-1].way in (MCP, PLAIN) and len(attempts) > 1:
        why = "; ".join(f"{a.way}: {a.problem}" for a in attempts if a.problem)
        _log(settings, f"the hook {name} was answered by {attempts[-1].way} ({why})")


def _end_in_time(seconds: float, name: str, settings: Settings) -> None:
    """End this process when its time is up, whatever it is doing."""
    import _thread

    def watch() -> None:
        time.sleep(seconds)
        try:
            _tell_of(name, settings, TimeoutError(f"not done after {seconds:.1f} s"))
        finally:
            os._exit(0)

    _thread.start_new_thread(watch, ())


def _leave_at_once(name: str, settings: Settings) -> None:
    problem = sys.exc_info()[1]
    try:
        if problem is not None:
            _tell_of(name, settings, problem)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


def is_elsewhere(python: str) -> bool:
    """Whether another environment shall do it; a bare name means whichever runs this.

    Links are not followed: the interpreters of two environments may be links to the same one.
    """
    return os.path.isabs(python) and _plain(python) != _plain(sys.executable)


def _plain(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))


def _is_forwarded(python: str, name: str, raw: bytes, settings: Settings, until: float) -> bool:
    """Have another environment answer; what fails there is done here, in the time that is left."""
    import subprocess

    seconds = _ELSEWHERE * (until - time.monotonic())
    # There the name of an interpreter means the one that runs, or it would be asked again.
    told = {"MILEPOST_HOOK_PYTHON": "python", "MILEPOST_HOOK_TIMEOUT": str(int(seconds * 1e3))}
    command = [python, "-P", "-m", "milepost", "hook", name]
    try:
        done = subprocess.run(  # noqa: S603 -- named by the user's own settings
            command,
            input=raw,
            capture_output=True,
            timeout=seconds,
            check=True,
            env={**os.environ, **told},
        )
    except (OSError, subprocess.SubprocessError) as problem:
        _log(settings, f"hook_python did not answer the hook {name} ({problem})")
        return False
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return True


def _tell_of(name: str, settings: Settings | None, problem: BaseException) -> None:
    """Log once what went wrong; only who asked for no way around it is told at once as well."""
    from milepost.errors import worded
    from milepost.surfaces.hooks.chain import Unreached

    said = str(problem) if isinstance(problem, Unreached) else worded(problem)
    text = f"the hook {name} told nothing ({' '.join(said.split())[:300]})"
    try:
        if isinstance(problem, Unreached) and problem.last_way:
            print(f"milepost: {text}", file=sys.stderr)
        if settings is not None:
            _log(settings, text)
    except Exception:  # noqa: BLE001, S110 -- there is nobody left to tell
        pass


def _log(settings: Settings, text: str) -> None:
    import logging

    from milepost.surfaces.logging import configure_logging

    logging.raiseExceptions = False  # a log that cannot be written must not be told of
    configure_logging(settings._replace(log_level="error"), to_file=True)
    logging.getLogger("milepost.hooks").warning(text)
