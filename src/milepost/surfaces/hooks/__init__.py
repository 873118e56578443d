"""`milepost hook EVENT`: a client's event on standard input, what the model is told on output.

Whatever happens, a hook ends with 0 and within its time: the agent goes on without it.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from milepost.config import Settings
    from milepost.sessions.values import Briefing
    from milepost.surfaces.hooks.options import Options

# A client sends kilobytes; a tool's answer may be large.
INPUT_BYTES_MAX = 32 << 20


def main(name: str, flags: Mapping[str, object] | None = None) -> int:
    """Answer one event."""
    started = time.monotonic()
    settings = None
    try:
        from milepost.config import settings_of, trace_settings
        from milepost.surfaces.hooks.options import load_options

        origins = trace_settings(flags)
        settings = settings_of(origins)
        _answer(name, settings, load_options(origins), started)
    except Exception as problem:  # noqa: BLE001 -- a hook must never stand in the agent's way
        _tell_of(name, settings, problem)
    return 0


def _answer(name: str, settings: Settings, options: Options, started: float) -> None:
    from milepost.surfaces.hooks.events import CLIENT_NAMES, EVENTS, HookEvent

    if name not in EVENTS:
        raise ValueError(f"no hook is called {name}; there are {', '.join(EVENTS)}")
    _end_in_time(options.timeout_ms / 1e3, name, settings)
    raw = sys.stdin.buffer.read(INPUT_BYTES_MAX)
    if _is_elsewhere(options.python):
        _forward(options, name, raw)
        return
    import json

    fields = json.loads(raw)
    if not isinstance(fields, dict):
        raise ValueError("the client did not send an object")
    briefing = EVENTS[name](HookEvent(fields, settings, options))
    if briefing is None or name not in CLIENT_NAMES:
        return
    if briefing.text:
        _print(briefing, CLIENT_NAMES[name])
    if options.metrics:
        for line in _lines(briefing, time.monotonic() - started):
            print(line, file=sys.stderr)


def _print(briefing: Briefing, client_name: str) -> None:
    import json

    from milepost.surfaces.hooks.events import TEXT_CHARS_MAX

    if len(briefing.text) > TEXT_CHARS_MAX:
        raise ValueError(f"the client takes no briefing of {len(briefing.text):,} characters")
    output = {"hookEventName": client_name, "additionalContext": briefing.text}
    sys.stdout.write(json.dumps({"hookSpecificOutput": output}) + "\n")
    sys.stdout.flush()


def _lines(briefing: Briefing, seconds: float) -> Iterator[str]:
    """Yield what a person is told of it."""
    if briefing.remembered:
        yield f"milepost: remembered {briefing.remembered}"
    if briefing.text:
        count = len(briefing.hashes)
        noun = "memory" if count == 1 else "memories"
        yield (
            f"milepost: {count} {noun} in {seconds * 1e3:.0f} ms, about {briefing.tokens:,} "
            f"tokens; whole objects would have been {briefing.instead_of:,}"
        )


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


def _is_elsewhere(python: str) -> bool:
    """Whether another interpreter shall do it; a bare name means whichever runs this."""
    return os.path.isabs(python) and os.path.realpath(python) != os.path.realpath(sys.executable)


def _forward(options: Options, name: str, raw: bytes) -> None:
    import subprocess

    command = [options.python, "-P", "-m", "milepost", "hook", name]
    done = subprocess.run(  # noqa: S603 -- named by the user's own settings
        command, input=raw, capture_output=True, timeout=options.timeout_ms / 1e3, check=True
    )
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)


def _tell_of(name: str, settings: Settings | None, problem: BaseException) -> None:
    """Log once what went wrong; only who asked for no way around it is told at once as well."""
    import logging

    from milepost.surfaces.hooks.chain import Unreached
    from milepost.surfaces.logging import configure_logging

    kind = "" if isinstance(problem, Unreached) else f"{type(problem).__name__}: "
    said = f"{kind}{problem}"
    text = f"the hook {name} told nothing ({' '.join(said.split())[:300]})"
    try:
        if isinstance(problem, Unreached) and problem.last_way:
            print(f"milepost: {text}", file=sys.stderr)
        if settings is not None:
            logging.raiseExceptions = False  # a log that cannot be written must not be told of
            configure_logging(settings._replace(log_level="error"), to_file=True)
            logging.getLogger("milepost.hooks").warning(text)
    except Exception:  # noqa: BLE001, S110 -- there is nobody left to tell
        pass
