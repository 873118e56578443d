"""Long memories in which the place that answers a question is known.

Few sets have long memories with a known answer, so most are joined: turns of a talk, chunks of a
document, commits, in their order, as long as a note or a session is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from datasets import Case, Question, cases, longmemeval
from milepost.text.words import content_words, stem

# What is shorter is shown nearly whole.
LONG_CHARS = 300
_JOINED_CHARS = 2_000
# So much of a place must be seen, or all of it: a sentence.
_SEEN_CHARS = 80
# An answer in other words is held where so many of its words are.
_SHARE = 2 / 3
_PHRASES = {
    "long notes": ("notes", ("long-notes",)),
    "short notes": ("notes", ("engineer-notes", "team-notes")),
    "coding": ("coding", ("coding-sessions",)),
    "talk": ("talk", ()),
    "German": ("languages", ("werkstatt-de",)),
    "Spanish": ("languages", ("equipo-es",)),
    "Chinese": ("languages", ("xiangmu-zh",)),
}
_JOINED = frozenset({"short notes", "talk", "German", "Spanish", "Chinese"})
_PLACES = ("faq", "changes", "meetings")
SOURCES = (*_PHRASES, *_PLACES, "turns", "sessions")

Span = tuple[int, int]


class Target(NamedTuple):
    """A question, a memory, and where in it, on one line, and by what words it is answered.

    A whole place must be seen, or so many characters of all, or these words within them.
    """

    question: str
    content: str
    spans: tuple[Span, ...]
    chars: int | None = None
    words: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The memory on one line, as previews show it."""
        return one_line(self.content)


class LongCase(NamedTuple):
    """A store of long memories and what is asked of it."""

    memories: list[dict[str, Any]]
    targets: list[Target]


def long_cases(source: str, data: Path) -> Iterator[LongCase]:
    """Read the stores of a source."""
    if source in _PHRASES:
        yield from _phrase_cases(source, data)
    elif source in _PLACES:
        for case in cases(source, data):
            yield _place_case(case, 3_000 if source == "faq" else _JOINED_CHARS)
    else:
        yield from _chat_cases(source, data)


def holds(target: Target, seen: Iterable[Span]) -> bool:
    """Tell whether parts of the text, none over another, hold the answer."""
    shared = [(max(a, c), min(b, d)) for a, b in seen for c, d in target.spans]
    if target.words:
        shown = " ".join(target.text[a:b] for a, b in shared if a < b)
        return len(target.words & _stems(shown)) >= _SHARE * len(target.words)
    if target.chars is not None:
        return sum(max(b - a, 0) for a, b in shared) >= target.chars
    return any(span in shared for span in target.spans)


def _phrase_cases(source: str, data: Path) -> Iterator[LongCase]:
    origin, names = _PHRASES[source]
    for case in cases(origin, data):
        if names and case.name not in names:
            continue
        if source in _JOINED:
            groups = list(_groups(case.memories, _JOINED_CHARS))
        else:
            groups = [[place] for place in range(len(case.memories))]
        texts = ["\n".join(_said(case.memories[i]) for i in group) for group in groups]
        found = [_phrase_target(q, groups, texts) for q in case.questions if q.answer]
        yield LongCase(_stored(case, groups, texts), [t for t in found if t is not None])


def _phrase_target(
    question: Question, groups: Sequence[Sequence[int]], texts: Sequence[str]
) -> Target | None:
    answer = one_line(question.answer or "")
    for group, text in zip(groups, texts, strict=True):
        if question.evidence.isdisjoint(group) or len(text) <= LONG_CHARS:
            continue
        places = tuple(m.span() for m in re.finditer(re.escape(answer), one_line(text)))
        if places:
            return Target(question.text, text, places)
    return None


def _place_case(case: Case, size: int) -> LongCase:
    groups = list(_groups(case.memories, size))
    texts: list[str] = []
    spans: dict[int, Span] = {}
    for group in groups:
        text, places = _joined([_said(case.memories[place]) for place in group])
        texts.append(text)
        spans.update(zip(group, places, strict=True))
    found = [_place_target(q, groups, texts, spans) for q in case.questions if q.evidence]
    return LongCase(_stored(case, groups, texts), [t for t in found if t is not None])


def _place_target(
    question: Question,
    groups: Sequence[Sequence[int]],
    texts: Sequence[str],
    spans: Mapping[int, Span],
) -> Target | None:
    shared = [len(question.evidence.intersection(group)) for group in groups]
    best = shared.index(max(shared))
    gold = tuple(spans[i] for i in groups[best] if i in question.evidence)
    size = sum(end - start for start, end in gold)
    # Where half of a memory answers, nearly any part of it does.
    if len(texts[best]) <= LONG_CHARS or 2 * size > len(texts[best]):
        return None
    return Target(question.text, texts[best], gold, min(size, _SEEN_CHARS))


def _groups(memories: Sequence[dict[str, Any]], size: int) -> Iterator[list[int]]:
    """Join neighbours up to a size; documents and meetings stay apart."""
    group: list[int] = []
    length = 0
    apart = len({m["session"] for m in memories}) < len(memories) / 20
    for place, memory in enumerate(memories):
        other = apart and group and memory["session"] != memories[group[-1]]["session"]
        if group and (other or length + len(memory["content"]) > size):
            yield group
            group, length = [], 0
        group.append(place)
        length += len(memory["content"])
    if group:
        yield group


def _said(memory: dict[str, Any]) -> str:
    said = str(memory["content"]).strip()
    return f"{memory['author']}: {said}" if memory.get("author") else said


def _stored(
    case: Case, groups: Sequence[Sequence[int]], texts: Sequence[str]
) -> list[dict[str, Any]]:
    whens = [case.memories[group[0]].get("created") for group in groups]
    return [{"content": t, "created": w} for t, w in zip(texts, whens, strict=True)]


def _chat_cases(source: str, data: Path) -> Iterator[LongCase]:
    for chat in longmemeval(data):
        asked = chat.asked
        if asked["question_id"].endswith("_abs") or "preference" in asked["question_type"]:
            continue
        words = frozenset(_stems(str(asked["answer"])) - _stems(asked["question"]))
        memories, targets = [], []
        for _, when, turns in chat.sessions:
            for part in [[turn] for turn in turns] if source == "turns" else [turns]:
                text, spans = _chat_text(part, labelled=source == "sessions")
                if text:
                    memories.append({"content": text, "created": when.timestamp()})
                if spans and words and len(text) > LONG_CHARS:
                    targets.append(Target(asked["question"], text, spans, words=words))
        yield LongCase(memories, targets)


def _chat_text(turns: Sequence[Any], *, labelled: bool) -> tuple[str, tuple[Span, ...]]:
    spoken = [turn for turn in turns if turn["content"].strip()]
    labels = [f"{turn['role']}: " if labelled else "" for turn in spoken]
    text, places = _joined([a + turn["content"] for a, turn in zip(labels, spoken, strict=True)])
    told = zip(spoken, places, strict=True)
    return text, tuple(place for turn, place in told if turn.get("has_answer"))


def _joined(parts: Sequence[str]) -> tuple[str, list[Span]]:
    """Return texts as one, and where each stands when it is on one line."""
    spans, end = [], -1
    for part in parts:
        start = end + 1
        end = start + len(one_line(part))
        spans.append((start, end))
    return "\n".join(parts), spans


def one_line(text: str) -> str:
    """Return a text as previews show it."""
    return " ".join(text.split())


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}
