"""Choose the passage of a memory that answers a question best."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from milepost.ranking.keys import term_key
from milepost.text.expressions import lazy
from milepost.text.words import located_terms

if TYPE_CHECKING:
    from milepost.ranking.candidates import Corpus, Probe

ELLIPSIS = "…"

# Past this many characters a memory is a document; its passage is looked for in the beginning.
_SEARCHED_CHARS = 50_000
# A word counts fully in this part of a passage, and so much at its edges: what answers stands
# around the words of the question, rather after than before them.
_MIDDLE_FROM, _MIDDLE_TO, _AT_EDGE = 0.2, 0.6, 0.6
# How much meaning says beside words, and how far behind by words and how many it is asked for.
_MEANING, _BEHIND_MAX, _ASKED_MAX = 0.25, 0.1, 6
# A sentence ends with a mark and a space, and without a space where none is written.
_SENTENCE_END = lazy(r"[.!?…][\"'”’)\]]*\s+|[。！？]\s*")


class Sought(NamedTuple):
    """What a passage is chosen by: what each term is worth to which word, and the meaning.

    The worth of all words together is one. The likeness of texts to the question need not be
    known; it is asked where words tell little.
    """

    worth: Mapping[int, Sequence[tuple[int, float]]]
    likeness: Callable[[Sequence[str]], Sequence[float]] | None = None


class _Hit(NamedTuple):
    """A word of a text that is worth something to the question."""

    start: int
    end: int
    worth: Sequence[tuple[int, float]]


def sought(
    probe: "Probe",
    corpus: "Corpus",
    likeness: Callable[[Sequence[str]], Sequence[float]] | None = None,
) -> Sought:
    """Return what a question looks for: its words, rare ones above all, and what is akin to them.

    A word that is only akin is worth the square of its similarity.
    """
    import numpy as np

    from milepost.ranking.matching import word_weights

    weights = np.array(word_weights(probe, corpus), np.float32)
    if not len(weights):
        return Sought({}, likeness)
    shares = weights / weights.sum()
    rows, columns = probe.kinship.nonzero()
    values = probe.kinship[rows, columns] ** 2 * shares[columns]
    worth: dict[int, list[tuple[int, float]]] = {}
    told = zip(probe.terms[rows].tolist(), columns.tolist(), values.tolist(), strict=True)
    for term, word, value in told:
        worth.setdefault(term, []).append((word, value))
    return Sought(worth, likeness)


def best_passage(content: str, wanted: Sought | None, width: int) -> str:
    """Return at most width characters of a text: those that answer a question best."""
    lines = [line for line in map(_one_line, content[:_SEARCHED_CHARS].splitlines()) if line]
    text = " ".join(lines)
    if len(text) <= width and len(content) <= _SEARCHED_CHARS:
        return text
    if wanted is None:
        return _cut(text, 0, 0, width)
    room = width - 2 * len(ELLIPSIS)
    hits = _hits(text, wanted, room)
    start = _best_start(text, _starts(text, lines, hits, room), hits, wanted, room)
    return _cut(text, start, _earned(hits, start, room), width)


def _one_line(line: str) -> str:
    return " ".join(line.split())


def _hits(text: str, wanted: Sought, room: int) -> list[_Hit]:
    known: dict[tuple[str, ...], Sequence[tuple[int, float]]] = {(): ()}
    hits = []
    for start, end, terms in located_terms(text):
        worth = known.get(terms)
        if worth is None:
            keys = map(term_key, terms)
            worth = known[terms] = tuple(w for key in keys for w in wanted.worth.get(key, ()))
        if worth:
            hits.append(_Hit(start, min(end, start + room), worth))
    return hits


def _starts(text: str, lines: Sequence[str], hits: Sequence[_Hit], room: int) -> list[int]:
    """Return where a passage may begin: with a sentence, or where a long one holds a word."""
    starts = {0, *(match.end() for match in _SENTENCE_END.finditer(text))}
    starts.update(accumulate(len(line) + 1 for line in lines[:-1]))
    starts.discard(len(text))
    sentences = sorted(starts)
    for hit in hits:
        if hit.end - sentences[bisect_right(sentences, hit.start) - 1] > room:
            back = text.rfind(" ", 0, max(hit.start - room // 4, 0) + 1) + 1
            starts.add(back if hit.end - back <= room else hit.start)
    return sorted(starts)


def _best_start(
    text: str, starts: Sequence[int], hits: Sequence[_Hit], wanted: Sought, room: int
) -> int:
    places = [hit.start for hit in hits]
    scores = []
    for start in starts:
        inside = hits[bisect_left(places, start) : bisect_right(places, start + room)]
        scores.append(_score(inside, start, room))
    best = max(scores)
    near = [i for i, score in enumerate(scores) if score >= best - _BEHIND_MAX]
    near = sorted(near, key=lambda i: -scores[i])[:_ASKED_MAX]
    if wanted.likeness is None or len(near) == 1:
        return starts[near[0]]
    alike = wanted.likeness([text[starts[i] : starts[i] + room] for i in near])
    both = [scores[i] + _MEANING * like for i, like in zip(near, alike, strict=True)]
    return starts[near[both.index(max(both))]]


def _score(hits: Sequence[_Hit], start: int, room: int) -> float:
    """Return what a passage is worth: each word of the question once, by where it is met best."""
    met: dict[int, float] = {}
    for hit in hits:
        if hit.end - start > room:
            break
        place = ((hit.start + hit.end) / 2 - start) / room
        share = _share(place)
        for word, worth in hit.worth:
            met[word] = max(met.get(word, 0.0), worth * share)
    return sum(met.values())


def _share(place: float) -> float:
    inward = min(place / _MIDDLE_FROM, (1 - place) / (1 - _MIDDLE_TO), 1.0)
    return _AT_EDGE + (1 - _AT_EDGE) * inward


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
