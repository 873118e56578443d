"""Choose the passage of a memory that answers a question best."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from milepost.ranking.keys import term_key
from milepost.text.expressions import lazy
from milepost.text.words import distinct_words, word_terms

if TYPE_CHECKING:
    from milepost.ranking.candidates import Corpus, Probe

ELLIPSIS = "…"

# Past this many characters a memory is a document; its passage is looked for in the beginning.
_SEARCHED_CHARS = 50_000
# A word counts fully in this part of a passage, and so much at its edges: what answers stands
# around the words of the question, rather after than before them.
_MIDDLE_FROM, _MIDDLE_TO, _AT_EDGE = 0.2, 0.6, 0.6
# A sentence ends with a mark and a space, and without a space where none is written.
_SENTENCE_END = lazy(r"[.!?…][\"'”’)\]]*\s+|[。！？]\s*")


_Met = Sequence[tuple[int, float]]
Worth = Mapping[int, _Met]


class Sought:
    """What a passage is chosen by: what each term is worth to which words of the question.

    The worth of all words together is one. It is made when a text is long enough to need it.
    """

    def __init__(self, worth: Callable[[], Worth]) -> None:
        self._worth = worth
        self._read: dict[str, tuple[set[str], dict[str, _Met]]] = {}

    @cached_property
    def worth(self) -> Worth:
        """What each term, by its key, is worth to which words of the question."""
        return self._worth()

    def met_by(self, words: set[str], language: str) -> list[tuple[str, _Met]]:
        """Return those words of a text that are worth something, and what."""
        # Memories that are shown together share most of their words: each is looked at once.
        read, met = self._read.setdefault(language, (set(), {}))
        worth = self.worth
        strange = worth.keys().isdisjoint
        read_in = partial(_keys_in, language) if language else _keys
        for word in words - read:
            keys = read_in(word)
            if not strange(keys):
                met[word] = tuple(each for key in keys for each in worth.get(key, ()))
        read |= words
        return [(word, met[word]) for word in words & met.keys()]


class _Hit(NamedTuple):
    """A word of a text that is worth something to the question."""

    start: int
    end: int
    worth: _Met


def worth_of(probe: "Probe", corpus: "Corpus") -> Worth:
    """Return what terms are worth to a question: its words, rare ones above all, and their kin.

    What is only akin is worth the square of its similarity.
    """
    import numpy as np

    from milepost.ranking.matching import word_weights

    worth: dict[int, list[tuple[int, float]]] = {}
    if not probe.words:
        return worth
    weights = np.array(word_weights(probe, corpus), np.float32)
    rows, columns = probe.kinship.nonzero()
    values = probe.kinship[rows, columns] ** 2 * (weights / weights.sum())[columns]
    told = zip(probe.terms[rows].tolist(), columns.tolist(), values.tolist(), strict=True)
    for term, word, value in told:
        worth.setdefault(term, []).append((word, value))
    return worth


def best_passage(content: str, wanted: Sought | None, width: int) -> str:
    """Return at most width characters of a text: those that answer a question best."""
    text = " ".join(content[:_SEARCHED_CHARS].split())
    if len(text) <= width and len(content) <= _SEARCHED_CHARS:
        return text
    if wanted is None:
        return _cut(text, 0, 0, width)
    room = width - 2 * len(ELLIPSIS)
    hits = _hits(text, wanted, room)
    starts = _starts(text, _line_starts(content[:_SEARCHED_CHARS]), hits, room)
    scores = _scores(starts, hits, room)
    start = starts[scores.index(max(scores))]
    return _cut(text, start, _earned(hits, start, room), width)


def _hits(text: str, wanted: Sought, room: int) -> list[_Hit]:
    """Return the words of a text that are worth something, in their order."""
    hits: list[_Hit] = []
    for word, worth in wanted.met_by(*distinct_words(text)):
        size = min(len(word), room)
        hits += [_Hit(at, at + size, worth) for at in _places(text, word)]
    return sorted(hits)


@lru_cache(maxsize=50_000)
def _keys(word: str) -> tuple[int, ...]:
    return _keys_in("", word)


@lru_cache(maxsize=50_000)
def _keys_in(language: str, word: str) -> tuple[int, ...]:
    return tuple(map(term_key, word_terms(word, language)))


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands by itself."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            yield at
        at = text.find(word, end)


def _line_starts(content: str) -> list[int]:
    """Return where the lines of a text begin when it is on one line."""
    lengths = [len(" ".join(line.split())) for line in content.splitlines()]
    return list(accumulate(length + 1 for length in lengths if length))


def _starts(text: str, lines: Sequence[int], hits: Sequence[_Hit], room: int) -> list[int]:
    """Return where a passage may begin: with a sentence, or where a long one holds a word."""
    starts = {0, *lines, *(match.end() for match in _SENTENCE_END.finditer(text))}
    starts -= {len(text), len(text) + 1}
    sentences = sorted(starts)
    for hit in hits:
        if hit.end - sentences[bisect_right(sentences, hit.start) - 1] > room:
            back = text.rfind(" ", 0, max(hit.start - room // 4, 0) + 1) + 1
            starts |= {hit.start, back if hit.end - back <= room else hit.start}
    return sorted(starts)


def _scores(starts: Sequence[int], hits: Sequence[_Hit], room: int) -> list[float]:
    """Return what passages are worth: each word of the question once, by where it is met best."""
    places = [hit.start for hit in hits]
    scores = []
    first = 0
    for start in starts:
        while first < len(hits) and hits[first].start < start:
            first += 1
        met: dict[int, float] = {}
        for hit in hits[first : bisect_right(places, start + room)]:
            if hit.end > start + room:
                continue
            share = _share(((hit.start + hit.end) / 2 - start) / room)
            for word, worth in hit.worth:
                if worth * share > met.get(word, 0.0):
                    met[word] = worth * share
        scores.append(sum(met.values()))
    return scores


def _share(place: float) -> float:
    """Return how much a word counts at a place in a passage."""
    if place < _MIDDLE_FROM:
        return _AT_EDGE + (1 - _AT_EDGE) * place / _MIDDLE_FROM
    if place > _MIDDLE_TO:
        return _AT_EDGE + (1 - _AT_EDGE) * (1 - place) / (1 - _MIDDLE_TO)
    return 1.0


def _earned(hits: Sequence[_Hit], start: int, room: int) -> int:
    """Return up to where a passage holds words that it was chosen for."""
    ends = (hit.end for hit in hits if hit.start >= start and hit.end - start <= room)
    return max(ends, default=start)


def _cut(text: str, start: int, earned: int, width: int) -> str:
    head = ELLIPSIS if start > 0 else ""
    room = width - len(head)
    if len(text) - start <= room:
        # The end of the text is in the window: fill the window backwards.
        start = max(len(text) - room, 0)
        if start > 0:
            start = _next_word(text, start)
        return head + text[start:]
    end = start + room - len(ELLIPSIS)
    space = text.rfind(" ", start + room // 2, end + 1)
    return head + text[start : max(space if space > 0 else end, earned)].rstrip() + ELLIPSIS


def _next_word(text: str, start: int) -> int:
    space = text.find(" ", start - 1, start + 30)
    return space + 1 if space >= 0 else start
