"""What a prompt wants of a memory: that it answer, that it keep something, that it stay out."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions.request_words import (
    AFTER_NOUN,
    ASKING,
    COURTESY,
    HERE,
    JUST_NOW,
    ORDERS,
    OURS,
    PAST,
    PHRASES,
    PHRASES_ABROAD,
    PLANNING,
    SPELLINGS,
    TELLING,
    VERBS_FIRST,
    WEAK_PHRASES,
    WHO_IN_CODE,
)
from milepost.sessions.statement_words import REFUSAL_FIRST
from milepost.text.asking import leans, the_part_that_asks
from milepost.text.expressions import FENCE, lazy
from milepost.text.failures import named_error
from milepost.text.secrets.private import without_disguise
from milepost.values import NamedTuple

QUERY_MAX = 300
# Past this many characters a prompt is a document; what it wants is said at its ends.
_READ_MAX = 4_000
_ERROR_MAX = 160
_SIGNS_OF_FAILURE = tuple(
    (
        "no module named, command not found, permission denied, connection refused, "
        "econnrefused, enoent, eaddrinuse, eacces, etimedout, segmentation fault, segfault, "
        "core dumped, cannot find module, exit code 1, is not a function, cannot read propert, "
        "stack trace, status code 5, no such file or directory, out of memory, deadlock "
        "detected, stack overflow"
    ).split(", ")
)


_REFUSAL = lazy(REFUSAL_FIRST)
_MARKS = "(?:remember|skip)"
_CODE = lazy(r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`")
_WORD = lazy(r"[^\W_]+")
_SENTENCE = lazy(r"[^.?!\n]+[.?!]*")
_COURTEOUS = lazy(
    r"(?i)\b(?:please|pls|plz|thanks|thank you|thx|hey|hi|hello|can you|could you|would you"
    r"|tell me|i was wondering|just|kindly|bitte|merci|por favor|gracias|danke)\b[,!]?"
)


class PromptRequest(NamedTuple):
    """What a prompt wants: an answer from memory, a text kept, or to be left alone.

    corrects: it states what holds instead of what was said before, and wants nothing told.
    """

    asks: bool
    query: str
    remember: str | None = None
    skip: bool = False
    corrects: bool = False


def request_in(prompt: str) -> PromptRequest:
    """Return what a prompt wants of a memory."""
    prompt = without_disguise(prompt).replace("\uff03", "#")
    masked = _CODE.sub(_blank, prompt) if "`" in prompt or "~~~" in prompt else prompt
    skip = "#" in masked and _mark("skip").search(masked) is not None
    failure = _pasted_failure(_ends(prompt))
    said = _ends(masked)
    # An order before a question, or talk, must not hide that the question asks.
    asks = not skip and (failure is not None or _asks(said) or _asks(the_part_that_asks(said)))
    corrects = not asks and "?" not in said and _REFUSAL.match(said) is not None
    query, remember = _query(_ends(prompt), failure), _to_remember(prompt, masked)
    return PromptRequest(asks, query, remember, skip, corrects)


def _ends(text: str) -> str:
    if len(text) <= _READ_MAX:
        return text
    return f"{text[: _READ_MAX // 2]}\n{text[-_READ_MAX // 2 :]}"


def _to_remember(prompt: str, masked: str) -> str | None:
    """Return what a prompt says to remember: the rest of the line, or all if there is no rest."""
    mark = _mark("remember").search(masked) if "#" in masked else None
    if mark is None:
        return None
    rests = []
    while mark:
        end = prompt.find("\n", mark.end())
        end = end if end >= 0 else len(prompt)
        rests.append(_mark(_MARKS).sub("", prompt[mark.end() : end]).strip(" \t\r:-*"))
        mark = _mark("remember").search(masked, end)
    return "\n".join(filter(None, rests)) or _mark(_MARKS).sub("", prompt).strip() or None


def _asks(said: str) -> bool:
    """Whether what was said asks for the past, for reasons or for customs."""
    words = [SPELLINGS.get(word, word) for word in _WORD.findall(_without_apostrophes(said))]
    text = f" {' '.join(words)} "
    if any(phrase in text for phrase in PHRASES) or any(
        phrase in text for phrase in PHRASES_ABROAD
    ):
        return True
    if _asks_about_us(words) or (_is_question(words, said) and _asks_about_past(words, text)):
        return True
    if _is_order(words, said):
        return False
    return any(phrase in text for phrase in WEAK_PHRASES) or any(
        sign in said.lower() for sign in _SIGNS_OF_FAILURE
    )


def _without_apostrophes(text: str) -> str:
    return text.lower().replace("'", "").replace("’", "")


def _asks_about_us(words: list[str]) -> bool:
    """Whether a question is about what we do, or for the reason of something here."""
    for place, word in enumerate(words):
        near = words[place + 1 : place + 10]
        if word == "why" and (place == 0 or not HERE.isdisjoint(near[:3])):
            return True
        if word not in ASKING and not (place == 0 and word in VERBS_FIRST):
            continue
        ours = next((i for i, other in enumerate(near) if other in OURS), None)
        if ours is not None and PLANNING.isdisjoint(near[: ours + 1]):
            return True
    return False


def _is_order(words: list[str], said: str) -> bool:
    """Whether a prompt begins with the verb of an order, other than to tell something."""
    opening = [word for word in words if word not in COURTESY][:2]
    first, second = (*opening, "", "")[:2]
    if first == "remember" and "?" in said:
        return False
    return not first or (first in ORDERS and first not in TELLING and second not in AFTER_NOUN)


def _is_question(words: list[str], said: str) -> bool:
    first = next((word for word in words if word not in COURTESY), "")
    if first in ASKING or first in VERBS_FIRST:
        return True
    return said.rstrip().endswith("?") and not _is_order(words, said)


def _asks_about_past(words: list[str], text: str) -> bool:
    """Whether a question is about what was, or about who."""
    if text.lstrip().startswith(JUST_NOW):
        return False
    if words[0] in ("who", "whos", "whose"):
        return WHO_IN_CODE.isdisjoint(words)
    return not PAST.isdisjoint(words)


def _pasted_failure(prompt: str) -> str | None:
    """Return the telling line of an error that a prompt contains."""
    if not any(sign in prompt for sign in ("rror", "xception", "panic", "atal", "FATAL", "ERR")):
        return None
    line = named_error(prompt)
    return line[:_ERROR_MAX] if line else None


def _query(prompt: str, failure: str | None) -> str:
    """Return what to search for: what was said, without code and courtesy, and the error's line."""
    text = FENCE.sub(" ", prompt) if "```" in prompt or "~~~" in prompt else prompt
    text = _mark(_MARKS).sub("", text).replace("`", "")
    asked = the_part_that_asks(text)
    lines = [line for line in asked.splitlines() if _is_prose(line)]
    said = _COURTEOUS.sub(" ", " ".join(lines))
    said = " ".join(said.split()).strip(" ,;-")
    if failure and failure not in said and (asked == text or leans(asked)):
        said = f"{failure} {said}"
    return _cut(said)


def _is_prose(line: str) -> bool:
    """Whether a line was said and not pasted."""
    if line[:2].isspace() or line.lstrip().startswith(_PASTED):
        return False
    return sum(map(str.isalpha, line)) + line.count(" ") >= 0.7 * len(line)


_PASTED = ("File ", "at ", "Traceback", "E ", ">", "|", "$", "//", "import ", "from ", "def ")


def _cut(text: str) -> str:
    if len(text) <= QUERY_MAX:
        return text
    asked = [part for part in _SENTENCE.findall(text) if _asks(part)]
    text = " ".join(asked).strip() or text
    if len(text) <= QUERY_MAX:
        return text
    return text[: text.rfind(" ", 0, QUERY_MAX + 1) if " " in text[:QUERY_MAX] else QUERY_MAX]


def _blank(code: re.Match[str]) -> str:
    """Return as much space as code took, so that what stands around it keeps its place."""
    return " " * len(code[0])


@cache
def _mark(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w#&/\\])(?<!\]\()#{name}(?![\w-])", re.IGNORECASE)
