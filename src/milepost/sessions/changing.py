"""What "it" is when a user says that it shall be something else: the decision spoken of last."""

from __future__ import annotations

import re
from functools import cache

from milepost.sessions.statements import is_unsettled, kind_of
from milepost.text.change_words import IT
from milepost.text.pasted import own_words
from milepost.text.sentences import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from milepost.sessions.values import Turn


def changes_it(sentence: str) -> bool:
    """Whether a sentence says what "it" shall be instead."""
    said = sentence.lower().replace("’", "'")
    return any(one.search(said) for one in _it()) and not is_unsettled(sentence)


def decided_before(turns: Sequence[Turn], place: int, said: Sequence[str]) -> str:
    """Return what was decided last before a sentence; `said` is what its prompt says before it."""
    for text, role in [*((one, "user") for one in reversed(said)), *_exchange(turns, place)]:
        if kind_of(text, role) == "decision" and not changes_it(text):
            return text
    return ""


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
