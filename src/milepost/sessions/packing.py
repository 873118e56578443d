"""Choose what a session that starts should know, and pack it under a budget of tokens."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from milepost.sessions.usefulness import DAY_US, Candidate, worth
from milepost.text.stems import stem
from milepost.text.strangeness import surcharge
from milepost.text.tokens import ceiling, estimate
from milepost.text.words import content_words

# Two memories that share more of their words than this say the same.
_SAME = 0.7
# What is told only in short, beyond the first few, must be at least this likely of use.
WORTH = 0.05
WIDTHS = (800, 400, 200, 140, 100)
# So many characters a line may have that is told at some length.
_AT_LENGTH = 240
# With less room than this no line fits any more.
_LINE_TOKENS = 20
# By so much what a text may cost exceeds what it is expected to.
_MARGIN = 1.1


def choose(
    candidates: Sequence[Candidate], now: int, doubts: Mapping[str, float]
) -> Iterator[tuple[Candidate, float]]:
    """Yield the candidates by falling worth, each thing said once."""
    rated = [(c, worth(c, now, doubts.get(c.record.hash, 0.0))) for c in candidates]
    rated.sort(key=lambda pair: -pair[1])
    told: list[frozenset[str]] = []
    for candidate, value in rated:
        words = frozenset(map(stem, content_words(candidate.record.content)))
        if not any(_overlap(words, other) > _SAME for other in told):
            told.append(words)
            yield candidate, value


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))


def pack(
    lines: Iterable[Sequence[str]], budget: int, limit: int, frame: str
) -> tuple[list[str], list[int]]:
    """Return the lines that fit beside a frame, with the rows they came from.

    Each row offers versions of one line, longest first. At first the rows up to the limit are told
    at some length and the rest as short as can be; if room is left then, the first get longer.
    """
    room = budget / _MARGIN - estimate(frame)
    chosen: list[str] = []
    kept: list[tuple[int, Sequence[str]]] = []
    for row, versions in enumerate(lines):
        fitting = [line for line in versions if len(line) <= _AT_LENGTH] or versions[-1:]
        for line in fitting if len(chosen) < limit else versions[-1:]:
            cost = estimate(line) + 1
            if cost <= room:
                chosen.append(line)
                kept.append((row, versions))
                room -= cost
                break
        if room < _LINE_TOKENS:
            break
    # An estimate may be too low; what is told must not be more than was allowed.
    while chosen and _at_most("\n".join([frame, *chosen])) > budget:
        chosen.pop()
    _lengthen(chosen, [versions for _, versions in kept], budget, frame)
    return chosen, [row for row, _ in kept[: len(chosen)]]


def _lengthen(chosen: list[str], rows: Sequence[Sequence[str]], budget: int, frame: str) -> None:
    """Tell as many as there is room for at full length, the first before the others."""
    for i, line in enumerate(chosen):
        for longer in takewhile(line.__ne__, rows[i]):
            chosen[i] = longer
            if _at_most("\n".join([frame, *chosen])) <= budget:
                break
            chosen[i] = line
        if chosen[i] == line != rows[i][0]:
            return  # no room is left


def _at_most(text: str) -> int:
    return min(ceiling(text) + surcharge(text), len(text.encode("utf-8", "replace")))


def age(micros: int) -> str:
    """Return how long ago something was, in few characters: 3h, 12d, 5mo, 2y."""
    days = max(0, micros) / DAY_US
    if days < 1:
        return f"{days * 24:.0f}h"
    if days < 60:
        return f"{days:.0f}d"
    return f"{days / 30.4:.0f}mo" if days < 720 else f"{days / 365:.0f}y"
