"""Choose what a session that starts should know, and pack it under a budget of tokens."""

from collections.abc import Iterator, Mapping, Sequence

from milepost.sessions.usefulness import DAY_US, Candidate, worth
from milepost.text.words import content_words, stem

# Two memories that share more of their words than this say the same.
_SAME = 0.7
# What is told only in short, beyond the first few, must be at least this likely of use.
WORTH = 0.05
WIDTHS = (800, 400, 200, 140, 100)


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


def age(micros: int) -> str:
    """Return how long ago something was, in few characters: 3h, 12d, 5mo, 2y."""
    days = max(0, micros) / DAY_US
    if days < 1:
        return f"{days * 24:.0f}h"
    if days < 60:
        return f"{days:.0f}d"
    return f"{days / 30.4:.0f}mo" if days < 720 else f"{days / 365:.0f}y"
