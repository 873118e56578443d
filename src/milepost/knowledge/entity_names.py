"""Find entities by what people call them, and by words about them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import log2

from milepost.errors import NotFound
from milepost.knowledge.values import Match
from milepost.memory.context import Context
from milepost.text.naming import name_key
from milepost.text.words import STOP_WORDS

_WORD = re.compile(r"\w+")
# What a word of the question counts for: as the whole name, as a word of it, as the beginning of
# one, within one, and in something that was said of the entity.
_WHOLE, _SINGLE, _BEGINNING, _WITHIN, _SAID = 6.0, 2.0, 1.2, 0.6, 0.7


def entity_named(context: Context, what: str, name: object) -> int:
    """Return the entity that goes by a name."""
    return entities_named(context, what, [name])[0]


def entities_named(context: Context, what: str, names: Sequence[object]) -> list[int]:
    """Return the entities that go by names; an unknown one is refused with those it resembles."""
    intake = context.lenient().intake()
    asked = [intake.name(what, name) for name in names]
    found = context.store.entities.ids(context.space, asked)
    for name, entity in zip(asked, found, strict=True):
        if entity is None:
            raise NotFound(f"There is no entity {name!r}; {_hint(context, name)}")
    return [entity for entity in found if entity is not None]


def _hint(context: Context, name: str) -> str:
    known = {name_key(other): other for other in context.store.entities.like(context.space, name)}
    near = [known[key] for key in get_close_matches(name_key(name), known, n=3, cutoff=0.5)]
    return f"did you mean {' or '.join(near)}?" if near else "search_graph finds entities by words."


def question_words(query: str) -> list[str]:
    """Return the words of a question by which entities are found, and the question as a name."""
    key = name_key(query)
    words = [word for word in _WORD.findall(key) if word not in STOP_WORDS and len(word) > 1]
    plain = [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
    return list(dict.fromkeys([*plain, key]))


def ranked(query: str, names: Iterable[Match], said: Iterable[Match]) -> list[int]:
    """Return entities by how well their names, and what was said of them, meet a question.

    A word that few have says more than one that many have.
    """
    best: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for entity, key, words in names:
        for word in words:
            best[word][entity] = max(best[word][entity], _worth(key, word, name_key(query)))
    for entity, _, words in said:
        for word in words:
            best[word][entity] = max(best[word][entity], _SAID)
    scores: dict[int, float] = defaultdict(float)
    for entities in best.values():
        for entity, worth in entities.items():
            scores[entity] += worth / log2(1 + len(entities))
    return sorted(scores, key=lambda entity: (-scores[entity], entity))


def _worth(key: str, word: str, query: str) -> float:
    """Return what a word counts for in a name."""
    parts = _WORD.findall(key)
    if key == query or (f" {key} " in f" {query} "):
        return _WHOLE
    if word in parts or f"{word}s" in parts:
        return _SINGLE
    return _BEGINNING if any(part.startswith(word) for part in parts) else _WITHIN
