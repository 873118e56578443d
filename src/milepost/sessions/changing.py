"""What "it" is when a user says that it shall be something else: the decision spoken of last."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions.statements import is_unsettled, kind_of
from milepost.text.change_words import CHOSEN, IT
from milepost.text.pasted import own_words
from milepost.text.sentences import sentences
from milepost.text.words import content_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn


_STATED = ("decision", "preference", "fact")
_WORDS_MIN = 3
_OF_IT = re.compile(
    r"(?i)\W*(?:(?:no|hm+|well|ok|but|and|nein|aber|non|mais|pero),? )*"
    r"(?:it|that|this|they|i|we|das|es|ich|wir|ça|c'est|cela|je|nous|eso|esto|me)\b"
)
# A word with a capital, or one that is made of parts or has digits; no path and no file.
_NAME = re.compile(r"(?<![\w./])(?:[A-Z]\w+|[a-z]+\d\w*|[a-z]+[A-Z]\w*)(?![/(]|\.\w{1,4}\b)")


def changes_it(sentence: str) -> bool:
    """Whether a sentence says what "it" shall be instead."""
    said = sentence.lower().replace("’", "'")
    matches = (match for one in _it() if (match := one.search(said)))
    return any(_is_meant(match, sentence) for match in matches) and not is_unsettled(sentence)


def _is_meant(match: re.Match[str], sentence: str) -> bool:
    """Whether it shall be something else; faster or blue is the same in another way."""
    named = match.groupdict().get("name")
    return not named or _NAME.search(sentence, match.start("name")) is not None


def decided_before(turns: Sequence[Turn], place: int, said: Sequence[str]) -> str:
    """Return what was decided last before a sentence; `said` is what its prompt says before it.

    Who speaks of something else in between means that, unless a decision was spoken of as such.
    """
    between: list[str] = []
    for text in reversed(said):
        if _decides(text, "user") or _orders(text):
            return text if _speak_of(between, text) else ""
        between.append(text)
    before = list(_exchange(turns, place))
    if decided := next((one for one, role in before if _decides(one, role, ("decision",))), ""):
        return decided if _speak_of(between, decided) else ""
    for text in (one for one, role in before if role == "user"):
        if _decides(text, "user") or _orders(text):
            return text if _speak_of(between, text) else ""
        between.append(text)
    return ""


def _decides(text: str, role: str, kinds: Sequence[str] = _STATED) -> bool:
    return kind_of(text, role) in kinds and not changes_it(text)


def _orders(text: str) -> bool:
    """Whether a user's sentence has something used that it names."""
    named = _NAME.search(text, text.find(" ") + 1)
    is_order = any(one.search(text.lower()) for one in _chosen())
    return named is not None and is_order and not is_unsettled(text) and not changes_it(text)


def _speak_of(between: Sequence[str], former: str) -> bool:
    """Whether all that is said says little, or speaks of the former: by its words, or as of it."""
    words = set(content_words(former.lower()))
    return all(
        len(text.split()) < _WORDS_MIN
        or _OF_IT.match(text) is not None
        or words.intersection(content_words(text.lower()))
        for text in between
    )


def spoken_before(turns: Sequence[Turn], place: int) -> str:
    """Return all that was said between the prompt before a place and it."""
    return "\n".join(text for text, _ in _exchange(turns, place))


def instead_of(sentence: str, former: str) -> str:
    """Return what is said of "it" with what that is."""
    return f"{sentence.rstrip(' .!。')} (instead of: {_INNER.sub(',', former).rstrip(' .!。')})"


_INNER = re.compile(r"\s*[()]")


def _exchange(turns: Sequence[Turn], place: int) -> Iterator[tuple[str, str]]:
    """Yield the sentences before a prompt, the last one first, to where the prompt before begins.

    What the user decided comes before what the agent says to it.
    """
    agents: list[tuple[str, str]] = []
    for turn in (turns[i] for i in range(place - 1, -1, -1)):
        if turn.role == "assistant":
            agents += [(one, "assistant") for one in reversed(list(sentences(turn.text)))]
        elif turn.role == "user":
            said = list(sentences(own_words(turn.text)))
            yield from ((one, "user") for one in reversed(said))
            break
    yield from agents


@cache
def _it() -> Sequence[re.Pattern[str]]:
    return [re.compile(line) for line in IT.strip().splitlines()]


@cache
def _chosen() -> Sequence[re.Pattern[str]]:
    return [re.compile(line) for line in CHOSEN.strip().splitlines()]
