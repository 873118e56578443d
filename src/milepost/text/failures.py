"""What went wrong, in the one line of an output that tells it, and that line as a signature.

Paths, numbers, quoted values, ids and times differ from run to run and become placeholders in a
signature; the class, the code and the telling words stay.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

SIGNATURE_CHARS = 160
# Past this many characters an output is a log; the error is looked for at both of its ends.
_SEARCHED_CHARS = 20_000
# An error has said what it is by then; what follows is data.
_LINE_CHARS = 600
# The same few outputs are asked about in turn.
_CACHED = 128

_NAME = r"[\w.$:]*(?:Error|Exception|Interrupt|Timeout|Exit)\b(?: \[\w+\])?(?::|$)"
# How well a line names an error, best first: the words of one program's own message beat a word
# like "not found", which beats "failed" anywhere.
_TELLING = (
    (
        rf"^{_NAME}|^(?:error|fatal|panic|FATAL|PANIC)(?:\[\w+\])?\s*:|^Caused by: |^Uncaught "
        r"|^Unhandled |^ERROR:? +\S|^[\w.$:]+(?:Failure|Panic|Warning):|^error [A-Z]\S* "
        r"|^[\w.:]+(?:Error|Exception)\(|^Exception in thread|thread '.*' panicked at"
        r"|^curl: \(\d+\)|Error response from daemon|^Error from server|: (?:ERROR|FATAL): "
        r"|: (?:fatal )?error(?: \w+\d+|\[\w+\])?: | - error TS\d+: |^\d+:\d+ +error +\S"
        r"|^npm (?:ERR!|error) (?:code|Missing|404)|^ERR_\w+ |^ORA-\d+|^SQLSTATE|^ERROR \d+ \("
        r"|^[A-Z]\d{4}\b.*\berror\b|^make(?:\[\d+\])?: \*\*\* |^(?:PHP )?(?:Fatal|Parse) error: "
        r"|^! \[(?:remote )?rejected\]|^CONFLICT \(|^Failure/Error: |^\*\* \(\w+\) |^expect\(.*\)\."
        r"|\([\w:]+(?:Error|Exception)\)$|^[A-Z]{1,4}\d{3,4} [A-Z`\[]|:\d+:\d+: [A-Z]+\d+ "
        r"|^× \S|_test\.go:\d+: |WARNING: DATA RACE"
    ),
    (
        r"command not found|[Nn]o such file or directory|[Pp]ermission denied|not recognized"
        r"|[Cc]onnection (?:refused|reset|timed out)|Segmentation fault|core dumped|Killed$"
        r"|Traceback|HTTP/[\d.]+ [45]\d\d|\b[45]\d\d (?:[A-Z][a-z]+ ?){1,3}"
        r"|undefined(?:: | reference)|[Cc]annot (?:find|connect)|[Cc]ould not find"
        r"|does not exist|already exists|not found|timed? ?out|[Oo]ut of memory|unexpected"
        r"|[Ii]nvalid|denied|unable to|Nothing happens|syntax error|violates|deadlock|refused"
        r"|mismatch|assert|already in use|\.(?:py|go|rs|c|cc|cpp|[jt]sx?|java):\d+:\d+: "
    ),
    r"\b(?:[Ff]ail(?:ed|ure|s|ing)?|FAIL(?:ED)?|INCORRECT|[Ii]ncorrect|[Ww]rong)\b",
    r"\b(?:[Ee]rror|ERROR|[Pp]anic|[Ee]xception|[Dd]enied|[Rr]ejected|[Aa]borted)",
)
# The way to somewhere else was broken for a while; nothing that is changed here mends that.
_FAR = (
    r"[Rr]ead timed out|ETIMEDOUT|ECONNRESET|ENOTFOUND|EAI_AGAIN|ReadTimeout|ConnectTimeout"
    r"|[Cc]onnection (?:reset|timed out|aborted)|[Tt]emporary failure in name resolution"
    r"|[Cc]ould not resolve host|[Ff]ailed to fetch|TLS handshake|SSL_ERROR"
    r"|network (?:is )?unreachable"
    r"|\b50[234] (?:Bad Gateway|Service|Gateway)|META_FETCH_FAIL"
    r"|[Uu]nable to (?:connect to|access) "
    r"|i/o timeout|context deadline exceeded|[Nn]etwork error|Max retries exceeded|429 Too Many"
    r"|toomanyrequests|net/http: request canceled|RPC failed|early EOF|[Hh]andshake timeout"
)
# A slip of the hand: the command itself was wrong.
_SLIP = (
    r"is not a git command|command not found|No rule to make target|Missing script"
    r"|unknown (?:command|option|flag|shorthand)|unrecognized arguments?"
    r"|externally-managed-environment"
    r"|[Nn]o such (?:option|command|subcommand)|invalid choice|^[Uu]sage: |[Uu]nknown argument"
    r"|Unsupported URL Type"
    r"|EUNSUPPORTEDPROTOCOL|not recognized as|did you mean|unexpected argument"
)
# Lines that only pass on that something failed, or count it, or say where to read more.
_SUMMARY = (
    r"ELIFECYCLE|ERR_PNPM_RECURSIVE|^npm (?:ERR!|error) (?:code \d|errno|Exit|Test failed|A comp)"
    r"|^make(?:\[\d+\])?: \*\*\* \[|^error: (?:could not compile|aborting due|test failed)"
    r"|^error: (?:failed to push|Recipe|script) |Command failed with exit code|^FAILURE: Build"
    r"|^(?i:build fail)|Execution failed for task|Compilation failed; see|COMPILATION ERROR"
    r"|Failed to execute goal|^Task .* FAILED$|non-zero exit status|returned \d+ exit status"
    r"|exit (?:code:|status) \d+$|completed with exit code|exited with code|test result: FAILED"
    r"|(?<!: )\b\d+ (?:failed|errors?|failures?|problems?)\b(?!:)|\d Error\(s\)"
    r"|^(?:hint|note|help): |compilation terminated|^For more information about this error"
    r"|This error happened while|^Automatic merge failed"
)
_DULL = r"(?:Error: )?Exit code \d+|Traceback \(most recent call last\):"
_NOISE = r"^\s*(?:at |File \"|\^|~+|-+$|=+$|\.\.\. |\d+ +\||-->|\||\+ |>  )|^\s*$"
# What pytest puts before an error.
_MARK = "E  "
# These say what it was on the next line.
_UNSAID = r"panicked at \S+:$|^[\w.:]+(?:Error|Exception):$"
# In a chain of causes the last line that names an error is the root, elsewhere the first is.
_CHAIN = r"(?m)^Traceback |^Caused by: |\[cause\]: |^During handling of the above"
# What a logger, a builder or a frame puts before a line.
_HEAD = (
    r"^(?:[│>╰─▶]+ +|#\d+ (?:[\d.]+ )?|\[cause\]: |<tool_use_error>"
    r"|(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?|\d\d:\d\d:\d\d[.,\d]*)\s*"
    r"|\[[\w .:-]{1,30}\]\s+)+"
)
# A number says what went wrong only where it is a code: a status, an exit, an error number.
_CODE = (
    r"(?i:\b(?:status(?: code)?|http|exit(?:ed with)?(?: code| status)?|code|errno|signal"
    r"|sqlstate|response|curl:)[ :=(\[]{0,3}|\berror )\d{1,5}\b"
    r"|\b[45]\d\d (?=[A-Z][a-z])|\b[A-Z]{1,4}-?\d{2,6}\b"
)
_NUMBER = r"(?<![\w<-])[-+]?\d[\d_,]*(?:\.\d+)?(?:e[-+]?\d+)?(?:(?:ms|[smh]|[KMG]i?B?|B|%))?\b"
_COUNTS = (
    r"(?i)<\w+>|\b(?:found|failed|passed|failures?|errors?|tests?|skipped|warnings?|total|in|of|and"
    r"|exit(?:ed with)?|code|no message)\b"
)
# Where it happened is not what happened.
_PLACE = r"^(?:FAILED |ERROR )?<path>(?:::\S+)?(?: -|:) "
_REPEATED = r"(<\w+>)(?:[,;: |/x-]*\1)+"
_DAY, _HOUR, _ZONE = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d(?::[\d.,]+)?", r"(?:Z|[+-]\d\d:?\d\d)?"
_ENDINGS = (
    "[jt]sx?|py|rs|go|java|rb|php|c|h|cc|cpp|hpp|cs|kt|swift|scala|sh|sql|json|ya?ml|toml|lock|txt"
    "|md|csv|log|ini|cfg|xml|html|so|dll|exe"
)
# What stands for what differs from run to run.
_RULES = (
    (r"\x1b\[[\d;]*m", ""),
    (r"\b[a-z][a-z+.-]*://[^\s\"'`<>)\]]+", "<url>"),
    (rf"\b{_DAY}(?:[T ]{_HOUR}{_ZONE})?", "<time>"),
    (r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
    (r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<id>"),
    (r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b", "<address>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    (r"\blocalhost(?::\d+| port \d+)", "<address>"),
    # Quoted values, unless they are a whole sentence: an apostrophe is no quote.
    (r"\"[^\"\n]{0,120}\"|`[^`\n]{1,120}`", "<value>"),
    (r"(?<![\w])'[^'\n]{0,120}'(?!\w)", "<value>"),
    (r"‘[^’\n]{0,120}’|“[^”\n]{0,120}”|«[^»\n]{0,120}»", "<value>"),
    # Names that stand unquoted where others would quote them.
    (r"(?<=: )[\w.+/-]+(?=: (?:command )?not found)|(?<=[Cc]ould not find )\[[^\]]*\]", "<value>"),
    (r"(?<=no such table: )\S+|(?<=no such column: )\S+|(?<=undefined: )\S+", "<value>"),
    (r"(?<=HTTP)/[\d.]+", ""),
    (r"\[(?:<value>|[\w .+-]+)(?:, ?(?:<value>|[\w .+-]+))+\]", "<list>"),
    (r"(?:[A-Za-z]:\\|\\\\)[^\s:*?\"<>|]+", "<path>"),
    (r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+=%~-]+)+/?(?::\d+(?::\d+)?)?", "<path>"),
    (r"(?<![\w<])[\w.@+-]+(?:/[\w.@+-]+)+(?::\d+(?::\d+)?|\(\d+,\d+\))?", "<path>"),
    (rf"\b[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS})\b(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))?", "<path>"),
    (r"(?i)\b(?:tmp|temp)[\w-]*\d[\w-]*\b", "<id>"),
    (r"\b0x[0-9a-fA-F]+\b", "<n>"),
    (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b", "<id>"),
)  # fmt: skip

_compiled = cache(re.compile)


@lru_cache(_CACHED)
def error_line(text: str) -> str:
    """Return the line of an output that names what went wrong, else its first words."""
    lines = _lines(text)
    telling = [line for line in lines if not _compiled(_SUMMARY).search(line)]
    named = _named(text, telling)
    for pattern in () if named else _TELLING[1:]:
        if errors := [line for line in telling if _compiled(pattern).search(line)]:
            named = errors[0]
            break
    summaries = (line for line in lines if line not in telling)
    return _shown(named or next(summaries, "") or next(iter(lines), text.strip()[:_LINE_CHARS]))


def named_error(text: str) -> str | None:
    """Return the line of a text that can only be an error, for what may be prose."""
    named = _named(text, [line for line in _lines(text) if not _compiled(_SUMMARY).search(line)])
    match = re.search(r"\b(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception): [^\n]{3,200}", text)
    return _shown(named or (match[0] if match else "")) or None


@lru_cache(_CACHED)
def signature(text: str) -> str:
    """Return the error a text tells of, without what differs from run to run; "" for none."""
    line = error_line(text)
    for rule, placeholder in _RULES:
        line = _compiled(rule).sub(placeholder, line)
    line = re.sub(_PLACE, "", _without_numbers(line))
    line = re.sub(_REPEATED, r"\1", " ".join(line.split())).strip(" .-|")
    return line[:SIGNATURE_CHARS].rstrip()


def is_far(line: str) -> bool:
    """Tell whether an error's line is about the way to another machine, which mends itself."""
    here = re.search(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]", line)
    return here is None and _compiled(_FAR).search(line) is not None


def is_slip(line: str) -> bool:
    """Tell whether an error's line says that there is no such command or option."""
    return _compiled(_SLIP).search(line) is not None


def tells(error: str) -> bool:
    """Tell whether a signature says what went wrong, and not only how often."""
    return re.sub(_COUNTS, "", error).strip(" .,:=-") != ""


def _named(text: str, lines: list[str]) -> str:
    """Return the line that is an error by its form: what pytest marks, a cause, a message."""
    marked = [line for line in lines if line.startswith(_MARK)]
    if _compiled(_CHAIN).search(text):
        name = _compiled(rf"(?:E +)?(?:Caused by: )?{_NAME}")
        if causes := [line for line in marked or lines if name.match(line)]:
            return causes[-1]
    messages = (line for line in lines if _compiled(_TELLING[0]).search(line))
    named = marked[0] if marked else next(messages, "")
    if _compiled(_UNSAID).search(named):
        after = lines[lines.index(named) + 1 :]
        named = " ".join([named, *after[:1]])
    return named


def _lines(text: str) -> list[str]:
    """Return the lines that may tell something, without what was put before them."""
    if len(text) > _SEARCHED_CHARS:
        text = text[: _SEARCHED_CHARS // 2] + "\n" + text[-_SEARCHED_CHARS // 2 :]
    noise, head = _compiled(_NOISE), _compiled(_HEAD)
    lines = (line[:_LINE_CHARS] for line in text.splitlines())
    bare = [head.sub("", line.strip()) or line.strip() for line in lines if not noise.match(line)]
    return [line for line in bare if not _compiled(_DULL).fullmatch(line)]


def _shown(line: str) -> str:
    return " ".join(line.removeprefix(_MARK).removesuffix("</tool_use_error>").split())


def _without_numbers(line: str) -> str:
    parts, end = [], 0
    for code in re.finditer(_CODE, line):
        parts += [re.sub(_NUMBER, "<n>", line[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, re.sub(_NUMBER, "<n>", line[end:])])
