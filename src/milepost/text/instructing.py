"""Whether a text wants to tell a model that reads it what to do, against whom the model works for.

Rules that people give their own agent are no such text, nor is writing about such texts. A text is
read as signs for what its words mean (`meanings`), and what is said with them is weighed: who is
spoken to, what is called off, asked for, hidden or allowed.
"""

from __future__ import annotations

import re
from functools import cache
from math import log

from milepost.text.expressions import lazy
from milepost.text.instructing_forms import ANCHORS, FRAME, SAID, TOGETHER, TOOL
from milepost.text.instructing_weights import BASE, NEIGHBOURS, WEIGHTS
from milepost.text.instructing_words import MEANINGS
from milepost.text.meanings import Meanings, placed
from milepost.text.unmasking import plain, unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_READ_CHARS = 200_000
# So many signs are read together, and from so many on again.
_WINDOW, _STEP = 60, 30
# So near to each other words are looked at in pairs.
_NEAR = 4
_CHANCE = 0.7
# So much more must speak for it in the words of whom the model works for.
_OWN = 1.2
# Of what is meant as a name.
_NAME_CHARS = 24
_FRAME, _TOOL = lazy(FRAME), lazy(TOOL)
_FRAMED = re.compile(r"[<\[{#:*]|end of|begin|系统")
_SPEAKER = re.compile(r"\s*(?:user|assistant|human|ai|system)\s*:")
_QUOTED = lazy(
    r"(?<!\":)(?<!\": )\"[^\"\n]{12,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»"
    r"|`[^`\n]{1,200}`|「[^」\n]{1,200}」|(?<!\w)'[^'\n]{12,200}'(?!\w)"
)
_CODE = lazy(r"`|\w\(|\w\.\w+\(|[\w)]\s?=\s?[\w\[({\"']|\w+_\w+|[\w-]+/[\w-]+|--\w+")


def instructs(text: str, *, own: bool = False) -> bool:
    """Tell whether a text wants to instruct a model that reads it.

    own: it is said by whom the model works for, who speaks of agents and prompts and means no harm.
    """
    weights = [weight(said) for said in readings(text[:_READ_CHARS])]
    # Of many parts one seems to instruct by chance.
    return max(weights) > _CHANCE * log(len(weights)) + _OWN * own


def names_instruct(names: Iterable[str]) -> bool:
    """Tell whether one of some names wants to instruct who reads it; short ones never do."""
    return any(len(name) >= _NAME_CHARS and instructs(name) for name in names)


def weight(said: frozenset[str]) -> float:
    """Return how much speaks for it that a model is instructed, more or less than nothing."""
    weights = _weights()
    return BASE + sum(weights.get(each, 0.0) for each in said)


def readings(text: str) -> Iterator[frozenset[str]]:
    """Yield what is said to a model in each part of a text, as it stands and as it is hidden."""
    lowered = plain(text)
    for reading in (lowered, *unmasked(text, lowered)):
        signs = _signs(reading)
        for start in range(0, max(1, len(signs) - _STEP), _STEP):
            yield _said(signs[start : start + _WINDOW])


def _signs(text: str) -> str:
    speaker = _SPEAKER.match(text)
    if speaker and not _SPEAKER.search(text, speaker.end()):
        text = text[speaker.end() :]
    if _FRAMED.search(text):
        text = _FRAME.sub(placed("F"), _TOOL.sub(placed("f"), text))
    return _meanings().signs(_QUOTED.sub(lambda quote: f"{placed('q')}{quote[0]}", text))


def _said(signs: str) -> frozenset[str]:
    found = {name for name, pattern in _patterns() if pattern.search(signs)}
    if found.isdisjoint(ANCHORS):
        return frozenset()
    groups = [name for name, parts in TOGETHER.items() if not found.isdisjoint(parts)]
    found.update(f"{one} and {other}" for one in groups for other in groups if one < other)
    found.update(_neighbours(signs))
    return frozenset(found)


def _neighbours(signs: str) -> Iterator[str]:
    """Yield which signs stand before which within a few words, and which begin a clause."""
    for place, sign in enumerate(signs):
        if sign in MEANINGS or sign in "OFfq":
            if not place or signs[place - 1] in "|,:&":
                yield f"^{sign}"
            for other in signs[place + 1 : place + 1 + _NEAR]:
                if other == "|":
                    break
                if other not in ".,:":
                    yield sign + other


@cache
def _weights() -> dict[str, float]:
    pairs = iter(NEIGHBOURS.split())
    return WEIGHTS | {pair: float(weight) for pair, weight in zip(pairs, pairs, strict=True)}


@cache
def _meanings() -> Meanings:
    return Meanings(MEANINGS)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern)) for name, pattern in SAID.items())
