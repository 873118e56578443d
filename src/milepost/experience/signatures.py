"""Name the kind of an error, so that the same error is known again elsewhere.

Paths, numbers, quoted values, ids and times differ from run to run and become placeholders; the
class, the code and the telling words stay.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

SIGNATURE_CHARS = 160
# Past this many characters an observation is a log; the error is looked for at both of its ends.
_SEARCHED_CHARS = 20_000
# An error has said what it is by then; what follows is data.
_LINE_CHARS = 600
# Reward, reflection and extraction all ask about the same few observations in turn.
_CACHED = 128


# How well a line names an error, best first: the words of one program's own error message beat
# a count of failures, which beats a word like "failed" anywhere.
@cache
def _telling() -> tuple[re.Pattern[str], ...]:
    """Return how a line names an error, best first; compiled when an error is first read."""
    return (
        re.compile(
            r"^(?:E\s+)?[\w.$]*(?:Error|Exception|Interrupt|Timeout|Warning|Exit)\b(?::|$)"
            r"|^(?:error|fatal|panic|FATAL|PANIC)(?:\[\w+\])?\s*:|^Caused by: |^Uncaught "
            r"|^ERROR:? +\S"
            r"|^Exception in thread|thread '.*' panicked at|^curl: \(\d+\)|^Error: |^Error response"
            r"|: error(?: \w+\d+|\[\w+\])?: |^npm (?:ERR!|error) (?:code|Missing|404)|^ORA-\d+"
            r"|^SQLSTATE|^ERROR \d+ \(|^[A-Z]\d{4}\b.*\berror\b|^make(?:\[\d+\])?: \*\*\* "
        ),
        re.compile(
            r"command not found|[Nn]o such file or directory|[Pp]ermission denied|not recognized"
            r"|[Cc]onnection (?:refused|reset|timed out)|Segmentation fault|core dumped|Killed$"
            r"|Traceback|HTTP/[\d.]+ [45]\d\d|\b[45]\d\d (?:[A-Z][a-z]+ ?){1,3}"
            r"|undefined(?:: | reference)"
            r"|cannot find|[Cc]ould not find|does not exist|already exists|not found|timed? ?out"
            r"|[Oo]ut of memory|unexpected|[Ii]nvalid|denied|unable to|Nothing happens|syntax error"
            r"|violates|deadlock|refused|mismatch|assert"
            r"|\.(?:py|go|rs|c|cc|cpp|[jt]sx?|java):\d+:\d+: "
        ),
        re.compile(r"\b(?:[Ff]ail(?:ed|ure|s|ing)?|FAIL(?:ED)?|INCORRECT|[Ii]ncorrect|[Ww]rong)\b"),
        re.compile(r"\b(?:[Ee]rror|ERROR|[Pp]anic|[Ee]xception|[Dd]enied|[Rr]ejected|[Aa]borted)"),
    )


# In a chain of causes or a traceback the last such line is the root, elsewhere the first is.
_LAST_COUNTS = re.compile(r"^Traceback |^Caused by: ", re.MULTILINE)
_NOISE = re.compile(r"^\s*(?:at |File \"|\^|~+|-+$|=+$|\.\.\. |\d+ \|)|^\s*$")
_LOG_HEAD = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\d\d:\d\d:\d\d[.,\d]*)?\s*"
    r"(?:\[[\w .:-]{1,30}\]\s*)*"
)
_PYTEST_MARK = re.compile(r"^E\s{1,8}(?=\S)")

_DAY, _HOUR, _ZONE = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d(?::[\d.,]+)?", r"(?:Z|[+-]\d\d:?\d\d)?"


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what stands for what differs from run to run; compiled when an error is first read."""
    return (
        (re.compile(r"\x1b\[[\d;]*m"), ""),
        (re.compile(r"\b[a-z][a-z+.-]*://[^\s\"'`<>)\]]+"), "<url>"),
        (re.compile(rf"\b{_DAY}(?:[T ]{_HOUR}{_ZONE})?"), "<time>"),
        (re.compile(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
        (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "<id>"),
        (re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"), "<address>"),
        (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<address>"),
        (re.compile(r"\blocalhost(?::\d+| port \d+)"), "<address>"),
        # Quoted values, unless they are a whole sentence: an apostrophe is no quote.
        (re.compile(r"\"[^\"\n]{0,120}\"|`[^`\n]{1,120}`"), "<value>"),
        (re.compile(r"(?<![\w])'[^'\n]{0,120}'(?!\w)"), "<value>"),
        (re.compile(r"‘[^’\n]{0,120}’|“[^”\n]{0,120}”|«[^»\n]{0,120}»"), "<value>"),
        # Names that stand unquoted where others would quote them.
        (re.compile(r"(?<=: )[\w.+/-]+(?=: (?:command )?not found)"), "<value>"),
        (re.compile(r"(?<=no such table: )\S+|(?<=no such column: )\S+"), "<value>"),
        (re.compile(r"(?<=undefined: )\S+"), "<value>"),
        (re.compile(r"(?<=[Cc]ould not find )\[[^\]]*\]"), "<value>"),
        (re.compile(r"(?<=HTTP)/[\d.]+"), ""),
        (re.compile(r"\[(?:<value>|[\w .+-]+)(?:, ?(?:<value>|[\w .+-]+))+\]"), "<list>"),
        (re.compile(r"(?:[A-Za-z]:\\|\\\\)[^\s:*?\"<>|]+"), "<path>"),
        (re.compile(r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+=%~-]+)+/?(?::\d+(?::\d+)?)?"), "<path>"),
        (re.compile(r"(?<![\w<])[\w.@+-]+(?:/[\w.@+-]+)+(?::\d+(?::\d+)?|\(\d+,\d+\))?"), "<path>"),
        (re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:[jt]sx?|py|rs|go|java|rb|php|c|h|cc|cpp|hpp|cs|kt|swift|scala|sh|sql"
                    r"|json|ya?ml|toml|lock|txt|md|csv|log|ini|cfg|xml|html|so|dll|exe)\b"
                    r"(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))?"), "<path>"),
        (re.compile(r"\b(?:tmp|temp)[\w-]*\d[\w-]*\b", re.I), "<id>"),
        (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<n>"),
        (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b"), "<id>"),
    )  # fmt: skip


# A number says what went wrong only where it is a code: a status, an exit, an error number.
_CODE = re.compile(
    r"(?i:\b(?:status(?: code)?|http|exit(?:ed with)?(?: code| status)?|code|errno|signal"
    r"|sqlstate|response|curl:)[ :=(\[]{0,3}|\berror )\d{1,5}\b"
    r"|\b[45]\d\d (?=[A-Z][a-z])|\b[A-Z]{1,4}-?\d{2,6}\b"
)
_NUMBER = re.compile(
    r"(?<![\w<-])[-+]?\d[\d_,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:(?:ms|[smh]|[KMG]i?B?|B|%))?\b"
)
_COUNTS = re.compile(
    r"<\w+>|\b(?:found|failed|passed|failures?|errors?|tests?|skipped|warnings?|total|in|of|and"
    r"|exit(?:ed with)?|code|no message)\b",
    re.IGNORECASE,
)
# Where it happened is not what happened.
_PLACE = re.compile(r"^(?:FAILED |ERROR )?<path>(?:::\S+)?(?: -|:) ")
_SPACES = re.compile(r"\s+")
_REPEATED = re.compile(r"(<\w+>)(?:[,;: |/x-]*\1)+")


@lru_cache(_CACHED)
def signature(text: str) -> str:
    """Return the error a text tells of, without what differs from run to run; "" for none."""
    line = telling_line(text)
    for rule, placeholder in _rules():
        line = rule.sub(placeholder, line)
    line = _PLACE.sub("", _without_numbers(line))
    line = _REPEATED.sub(r"\1", _SPACES.sub(" ", line)).strip(" .-|")
    return line[:SIGNATURE_CHARS].rstrip()


def tells(error: str) -> bool:
    """Tell whether a signature says what went wrong, and not only how often."""
    return _COUNTS.sub("", error).strip(" .,:=-") != ""


@lru_cache(_CACHED)
def telling_line(text: str) -> str:
    """Return the line of an observation that names what went wrong, else its first words."""
    if len(text) > _SEARCHED_CHARS:
        text = text[: _SEARCHED_CHARS // 2] + "\n" + text[-_SEARCHED_CHARS // 2 :]
    found = (line[:_LINE_CHARS] for line in text.splitlines())
    lines = [_bare(line) for line in found if not _NOISE.match(line)]
    last = _LAST_COUNTS.search(text) is not None
    for telling in _telling():
        errors = [line for line in lines if telling.search(line) and line != _TRACEBACK]
        if errors:
            return errors[-1] if last else errors[0]
    return lines[0] if lines else ""


_TRACEBACK = "Traceback (most recent call last):"


def _bare(line: str) -> str:
    """Return a line without what pytest or a logger put before it."""
    line = line.strip()
    if line.startswith("E "):
        line = _PYTEST_MARK.sub("", line)
    elif line[:1].isdigit() or line.startswith("["):
        line = _LOG_HEAD.sub("", line, count=1) or line
    return line


def _without_numbers(line: str) -> str:
    parts, end = [], 0
    for code in _CODE.finditer(line):
        parts += [_NUMBER.sub("<n>", line[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _NUMBER.sub("<n>", line[end:])])
