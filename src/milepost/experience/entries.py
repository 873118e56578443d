"""Find episodes and patterns by their meaning: each of them has an entry among the memories.

An entry is a memory in a space of its own beside the user's, so that whatever finds memories finds
experience: words, meaning, filters, second models. Nobody sees the entries themselves.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from milepost.experience.values import Episode, Pattern
from milepost.memory.context import Context
from milepost.memory.remember import content_hash
from milepost.memory.texts import Texts
from milepost.memory.values import ENTRIES, NOT_ANALYSED, Draft, Filter, Indexed
from milepost.ports import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from milepost.ranking.candidates import Probe

# The mark of what deserves to be found.
SALIENT = "salient"
# The mark of an episode that taught nothing, not even what was known.
TAUGHT_NOTHING = "taught:nothing"
# More words than this blur what an episode was about.
_TEXT_CHARS = 2_000
_CANDIDATES = 120
# When the best is less likely than this, nothing bears on the question: in a store of six episodes
# the best reached 0.65 to 0.83 for paraphrased tasks and up to 0.24 for other things.
_GATE = 0.3
# Beside the best, what is this much less likely is noise.
_BESIDE_BEST = 0.03
_LABELLED = ("domain", "language", "framework")
# How many episodes of how many groups are kept at hand to tell whether another is new.
_NOVELTY_EPISODES, _NOVELTY_GROUPS = 512, 64

# Ids of episodes or patterns with a score.
Scored = list[tuple[str, float]]


def episode_space(space: str) -> str:
    """Return the space of the entries of episodes."""
    return f"{ENTRIES}episodes {space}"


def pattern_space(space: str) -> str:
    """Return the space of the entries of patterns."""
    return f"{ENTRIES}patterns {space}"


def episode_entry(space: str, episode: Episode, *, salient: bool = True) -> Draft:
    """Return the entry of an episode: the task, where it took place, and what came of it."""
    where = {key: episode.context[key] for key in _LABELLED if episode.context.get(key)}
    labels = [label(key, value) for key, value in where.items()]
    labels += [label("tag", tag) for tag in episode.tags]
    labels += [label("outcome", episode.outcome or "open")]
    labels += [SALIENT] if salient else [] if episode.insights else [TAUGHT_NOTHING]
    about = " ".join(
        [episode.task_type.replace("_", " "), *map(str, where.values()), *episode.tags]
    )
    insights = [insight.text for insight in episode.insights]
    return _entry(
        episode_space(space),
        episode.id,
        [episode.task, about, episode.verdict, *insights],
        episode.task_type,
        labels,
        episode.created,
        episode.context.get("project"),
    )


def pattern_entry(space: str, pattern: Pattern) -> Draft:
    """Return the entry of a pattern."""
    labels = [label(key, pattern.context[key]) for key in _LABELLED if pattern.context.get(key)]
    labels += [] if pattern.retired else [SALIENT]
    where = [str(value) for value in pattern.context.values() if isinstance(value, str)]
    return _entry(
        pattern_space(space),
        pattern.id,
        [pattern.situation, pattern.advice, "; ".join(pattern.steps), " ".join(where)],
        pattern.kind,
        labels,
        pattern.created,
    )


def _entry(
    space: str,
    name: str,
    parts: Sequence[str],
    kind: str,
    labels: Sequence[str],
    created_s: float,
    project: object = None,
) -> Draft:
    created_us = round(created_s * 1e6)
    return Draft(
        space=space,
        hash=entry_hash(name),
        content="\n".join(filter(None, parts))[:_TEXT_CHARS],
        kind=kind,
        tags=tuple(sorted(set(labels))),
        metadata={"id": name},
        session=None,
        author=None,
        projects=(project,) if isinstance(project, str) and project else (),
        recorded_us=created_us,
        created_us=created_us,
        valid_from_us=created_us,
        supersedes=None,
        analysis=NOT_ANALYSED,
    )


def label(name: str, value: object) -> str:
    """Return the tag of an entry that says one thing about it."""
    return f"{name}:{value}"


def entry_hash(name: str) -> str:
    """Return the hash of the entry of an episode or a pattern."""
    return content_hash(name)


def analysed(texts: Texts, entries: Sequence[Draft]) -> list[Draft]:
    """Return entries with what they are found by."""
    analyses = texts.analyse([Indexed(0, e.content, e.author, e.created_us) for e in entries])
    return [e._replace(analysis=each) for e, each in zip(entries, analyses, strict=True)]


def analysed_episode(context: Context, episode: Episode, *, salient: bool = True) -> Draft:
    """Return the entry of an episode with what it is found by."""
    return analysed(context.texts, [episode_entry(context.space, episode, salient=salient)])[0]


def find(
    context: Context, probe: "Probe", where: Filter, count: int, least: float | None = None
) -> Scored:
    """Return what the entries are of that answer a question best, with their probabilities.

    least: the least probability; without one, nothing is found when nothing is relevant.
    """
    from milepost.ranking.score import rank

    candidates = context.store.candidates.find(probe, where, max(_CANDIDATES, 2 * count))
    # Tasks are looked for by what bears on them, not by what answers them: thresholds of their own.
    # And no task replaces an older one, whatever a question asks.
    verdict = rank(candidates, probe._replace(asks=False), least or 0.0)
    chances = verdict.chances.tolist()
    if not chances or (least is None and chances[0] < _GATE):
        return []
    if least is None:
        chances = [chance for chance in chances if chance >= _BESIDE_BEST * chances[0]]
    return _owners(context, candidates.ids[verdict.rows[:count]].tolist(), chances)


def nearest(context: Context, entry: Draft, where: Filter, count: int) -> Scored:
    """Return what the entries are of that are nearest in meaning to another, with similarities."""
    from milepost.ranking.candidates import wordless_probe
    from milepost.ranking.score import nearest

    probe = wordless_probe(entry.content, entry.analysis.vectors)
    candidates = context.store.candidates.find(probe, where, max(_CANDIDATES, 2 * count))
    ids, scores = nearest(candidates, probe)
    near = _owners(context, ids[: count + 1], scores)
    return [pair for pair in near if pair[0] != entry.metadata["id"]][:count]


def _owners(context: Context, ids: Sequence[int], scores: Sequence[float]) -> Scored:
    names = context.store.memories.owners(ids)
    return [(names[i], score) for i, score in zip(ids, scores, strict=False) if i in names]


class Novelty:
    """Tells how near an episode comes to those that ended the same way lately.

    Asked at every completion, so the vectors of the latest few hundred are kept at hand; what other
    processes add is seen by those opened later.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._groups: OrderedDict[tuple[str, str | None, tuple[str, ...]], _Group] = OrderedDict()

    def nearest(self, entry: Draft, where: Filter) -> float:
        """Return the similarity of the nearest episode that passes a filter, and add this one."""
        # The static model's comes first, and is there for every episode.
        model, vector = next(iter(entry.analysis.vectors.items()))
        with self._lock:
            group = self._group(where, model, len(vector))
            near = group.nearest(entry.hash, vector)
            group.add(entry.hash, vector)
        return near

    def _group(self, where: Filter, model: str, dim: int) -> "_Group":
        key = (where.space, where.kind, where.tags)
        if key not in self._groups:
            self._groups[key] = _Group(dim)
            newest = self._store.candidates.newest(where, _NOVELTY_EPISODES)
            for record in self._store.memories.records(newest[::-1]):
                vector = self._store.candidates.vectors(record.id).get(model)
                if vector is not None:
                    self._groups[key].add(record.hash, vector)
        self._groups.move_to_end(key)
        if len(self._groups) > _NOVELTY_GROUPS:
            self._groups.popitem(last=False)
        return self._groups[key]

    def close(self) -> None:
        """Let go of all."""
        self._groups.clear()


class _Group:
    """The vectors of the latest episodes of a type that ended in a way, by their names."""

    def __init__(self, dim: int) -> None:
        import numpy as np

        self._rows = np.zeros((_NOVELTY_EPISODES, dim), np.float32)
        self._names: list[str] = []
        self._count = 0

    def add(self, name: str, vector: "NDArray[np.float32]") -> None:
        place = self._count % _NOVELTY_EPISODES
        self._rows[place] = vector
        self._names[place : place + 1] = [name]
        self._count += 1

    def nearest(self, name: str, vector: "NDArray[np.float32]") -> float:
        if not self._names:
            return 0.0
        near = self._rows[: len(self._names)] @ vector
        if name in self._names:
            # It was about to be written before: nothing is its own forerunner.
            near[self._names.index(name)] = 0.0
        return float(near.max())
