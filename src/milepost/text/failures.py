"""What went wrong, in the one line of an output that tells it."""

from __future__ import annotations

import re
from functools import cache

_LINES_MAX = 400
_LINE_MAX = 2_000
# Each names what went wrong; the first kind that a text has is taken.
_NAMED = (
    # Name.Space.SomeError: what happened
    r"(?:E\s+)?(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Interrupt|Warning|Failure|Panic)\b"
    r"(?::\s*\S.*|$|\(.*)|(?:Uncaught |Unhandled )\S.*"
)
_COMPILED = (
    r"(?:\S+:\d+(?::\d+)?:?\s+)?(?:fatal\s)?error(?:\[\w+\]|\sTS\d+|\s[A-Z]+\d+)?:\s*\S.*"
    r"|\d+:\d+\s+error\s+\S.*|\S+\(\d+,\d+\): error .*|.*\berror TS\d+.*|E {2,}\S.*"
)
_LOGGED = (
    r"(?:fatal|panic|ERROR|FATAL|npm error|CRITICAL|thread '[^']*' panicked)\b:?.*\S.*"
    r"|npm ERR! .*\S.*|WARNING: DATA RACE.*"
)
_WORDED = (
    r"FAILED .*|FAIL[: ].*|--- FAIL.*|.*\bAssertionError\b.*|.*\bfailed with\b.*"
    r"|.*(?:command not found|No such file or directory|Permission denied|Segmentation fault"
    r"|Connection refused|Address already in use|cannot find|Cannot find|not found|timed out"
    r"|is not recognized|undefined reference|Killed|out of memory|No module named).*"
)
_TELLING = (_NAMED, _COMPILED, _LOGGED, _WORDED)
# The last of several is the cause that reached the top; of a compiler the first is.
_LAST_TELLS = (True, False, False, False)
_DULL = r"(?:Error: )?Exit code \d+|Traceback .*|=+.*=+|-+|\s*|\(.*\)|npm (?:ERR!|error) code .*"


def telling_line(text: str, size: int = 200, *, sure: bool = False) -> str | None:
    """Return the line that says what failed, or None if nothing in a text looks like a failure.

    What is no output but may be prose should be asked with sure: then words that only occur in
    failures, such as "not found", do not count.
    """
    lines = _lines(text)
    kinds = list(zip(_patterns(), _LAST_TELLS, strict=True))
    for pattern, last in kinds[:-1] if sure else kinds:
        found = [line for line in lines if pattern.fullmatch(line)]
        if found:
            return _trimmed(found[-1 if last else 0], size)
    return None


def first_line(text: str, size: int = 200) -> str:
    """Return the first line that says anything, for a failure that names no error."""
    told = (line for line in _lines(text) if not re.fullmatch(_DULL, line))
    return _trimmed(next(told, ""), size)


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    if len(lines) > _LINES_MAX:
        lines = lines[: _LINES_MAX // 2] + lines[-_LINES_MAX // 2 :]
    return [line.strip()[:_LINE_MAX] for line in lines]


def _trimmed(line: str, size: int) -> str:
    line = " ".join(line.removeprefix("E ").replace("<tool_use_error>", "").split())
    line = line.replace("</tool_use_error>", "")
    return line if len(line) <= size else f"{line[: size - 1].rstrip()}…"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in _TELLING)
