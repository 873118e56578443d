"""Which of the memories that a session was told of it used: it named them or said their words."""

from __future__ import annotations

import re
from collections import Counter

from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from milepost.sessions.values import Turn

_HASH_MIN = 6
_WORDS_MIN = 3
_SHARE_MIN = 0.5
_READ_MAX = 8_000
_COMMON_FROM = 3
_WEAK = frozenset(
    "about above after again against because before being below between could doing during error "
    "errors every failed fails files first found further having itself later makes might never "
    "other please project really right second should since something still their there these "
    "things think third those through under until using value values want wants where which while "
    "without working would write written always function default return change changed changes "
    "edited editing fixed commit committed class import message number result string "
    "tests asked".split()
)
_WORD = lazy(r"[a-z]\w*[_\d]\w*|[^\W\d_]{5,}|\d{2,}(?:\.\d+)?")


def quoted(hashes_and_texts: Mapping[str, str], turns: Sequence[Turn]) -> set[str]:
    """Return the hashes of the memories that were used in what an agent said or asked of tools."""
    spoken = [said for turn in turns if (said := _spoken(turn))]
    words = [frozenset(_words(said)) for said in spoken]
    telling = _telling(hashes_and_texts, words)
    text = "\n".join(spoken)
    return {
        hash_
        for hash_ in hashes_and_texts
        if _is_named(hash_, text) or _is_said(telling[hash_], words)
    }


def _spoken(turn: Turn) -> str:
    """Return what an agent itself produced in a turn."""
    if turn.role == "assistant":
        return turn.text[:_READ_MAX]
    return turn.input[:_READ_MAX] if turn.role == "tool" else ""


def _is_named(hash_: str, text: str) -> bool:
    if len(hash_) < _HASH_MIN or hash_ not in text:
        return False
    return re.search(rf"(?<![0-9A-Za-z]){re.escape(hash_)}", text) is not None


def _telling(
    memories: Mapping[str, str], turns: Sequence[frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Return the words of each memory that hardly anything else here has."""
    texts = {hash_: frozenset(_words(text)) for hash_, text in memories.items()}
    in_memories = Counter(word for words in texts.values() for word in words)
    in_turns = Counter(word for words in turns for word in words)
    # A word of the whole session says nothing about one memory of it.
    often = max(_COMMON_FROM, len(turns) // 10)
    return {
        hash_: frozenset(
            word for word in words if in_memories[word] < _COMMON_FROM and in_turns[word] <= often
        )
        for hash_, words in texts.items()
    }


def _is_said(telling: frozenset[str], turns: Iterable[frozenset[str]]) -> bool:
    """Whether one turn has enough of the telling words together."""
    enough = max(_WORDS_MIN, round(_SHARE_MIN * len(telling)))
    return len(telling) >= _WORDS_MIN and any(len(telling & words) >= enough for words in turns)


def _words(text: str) -> list[str]:
    """Return the words of a text that can tell it from others: long ones, names and numbers."""
    return [word for word in _WORD.findall(text.lower()) if word not in _WEAK]
