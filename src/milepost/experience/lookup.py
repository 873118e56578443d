"""Find episodes and patterns by their meaning: each leaves a trace among the memories.

A trace is a memory in a space of its own beside the user's, so that whatever finds memories finds
experience: words, meaning, filters, second models. Nobody sees traces themselves.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from milepost.errors import InvalidInput, NotFound
from milepost.experience.recording import Recorder
from milepost.experience.values import Episode, Pattern
from milepost.memory.context import Context
from milepost.memory.intake import Intake
from milepost.memory.remember import content_hash
from milepost.memory.texts import Texts
from milepost.memory.values import NOT_ANALYSED, Draft, Filter, Indexed

if TYPE_CHECKING:
    from milepost.ranking.candidates import Probe

# No name that is given begins with this sign: it is stripped as a space.
_HIDDEN = "\x1f"
# The mark of what deserves to be found.
SALIENT = "salient"
# More words than this blur what an episode was about.
_TEXT_CHARS = 2_000
_POOL = 120
# When the best is less likely than this, nothing bears on the question. Of 300 published runs the
# best reached 0.05 to 0.5 for paraphrased tasks and at most 0.02 for questions about other things;
# in a store of two episodes, where words weigh nothing, up to 0.035.
_GATE = 0.04
# Beside the best, what is this much less likely is noise.
_BESIDE_BEST = 0.1
# A step may be written down a little after the end.
_LATE_S = 1.0
# So many of the best by words and meaning are put in order by how alike their tasks are.
_LINED_UP = 24
_LABELLED = ("domain", "language", "framework")

Named = list[tuple[str, float]]


def episodes_beside(space: str) -> str:
    """Return the space of the traces of episodes."""
    return f"{_HIDDEN}episodes {space}"


def patterns_beside(space: str) -> str:
    """Return the space of the traces of patterns."""
    return f"{_HIDDEN}patterns {space}"


def is_hidden(space: str) -> bool:
    """Whether a space is one of traces."""
    return space.startswith(_HIDDEN)


def episode_entry(space: str, episode: Episode, *, salient: bool = True) -> Draft:
    """Return what an episode is found by."""
    labels = [label(key, episode.context[key]) for key in _LABELLED if episode.context.get(key)]
    labels += [label("tag", tag) for tag in episode.tags]
    labels.append(label("outcome", episode.outcome or "open"))
    labels += [SALIENT] if salient else []
    content = episode_text(episode)
    return _draft(
        episodes_beside(space), episode.id, content, episode.task_type, labels, episode.created
    )


def episode_text(episode: Episode) -> str:
    """Return the words of an episode: the task, where it took place, and what came of it."""
    where = [str(episode.context[key]) for key in _LABELLED if episode.context.get(key)]
    about = " ".join([episode.task_type.replace("_", " "), *where, *episode.tags])
    lessons = [insight.text for insight in episode.insights]
    return "\n".join(filter(None, [episode.task, about, episode.verdict, *lessons]))[:_TEXT_CHARS]


def pattern_entry(space: str, pattern: Pattern) -> Draft:
    """Return what a pattern is found by."""
    labels = [label(key, pattern.context[key]) for key in _LABELLED if pattern.context.get(key)]
    labels += [] if pattern.retired else [SALIENT]
    where = [str(value) for value in pattern.context.values() if isinstance(value, str)]
    parts = [pattern.situation, pattern.advice, "; ".join(pattern.steps), " ".join(where)]
    content = "\n".join(filter(None, parts))[:_TEXT_CHARS]
    return _draft(
        patterns_beside(space), pattern.id, content, pattern.kind, labels, pattern.created
    )


def label(name: str, value: object) -> str:
    """Return the tag of a trace that says one thing about it."""
    return f"{name}:{value}"


def entry_hash(name: str) -> str:
    """Return the hash of the trace of an episode or a pattern."""
    return content_hash(name)


def analysed(texts: Texts, drafts: Sequence[Draft]) -> list[Draft]:
    """Return drafts with what they are found by."""
    made = texts.analyse([Indexed(0, d.content, d.author, d.created) for d in drafts])
    return [draft._replace(analysis=one) for draft, one in zip(drafts, made, strict=True)]


def with_steps(context: Context, episode: Episode) -> Episode:
    """Return an episode with its steps; what was noted after its end is no part of how it went."""
    steps = context.store.episodes.steps(context.space, episode.id)
    end = None if episode.completed is None else episode.completed + _LATE_S
    return episode._replace(steps=tuple(s for s in steps if end is None or s.at <= end))


def find_episode(context: Context, given: object) -> Episode:
    """Return the episode of an id that somebody asks for, without its steps."""
    name = episode_name(context.lenient().intake(), given)
    context.part(Recorder).flush()
    episodes = context.store.episodes.named(context.space, [name])
    if not episodes:
        raise NotFound(f"There is no episode {name}; list_episodes shows those there are.")
    return episodes[0]


def episode_name(intake: Intake, given: object) -> str:
    """Return the id under which an episode is begun or asked for."""
    name = intake.name("episode", given)
    if any(sign.isspace() for sign in name):
        raise InvalidInput(f"{name[:60]!r} is not the id of an episode; ids have no spaces.")
    return name


def find(
    context: Context, probe: "Probe", where: Filter, count: int, least: float | None = None
) -> Named:
    """Return the ids behind the traces that answer a question best, with their probabilities.

    least: the least probability; without one, nothing is found when nothing is relevant.
    """
    from milepost.ranking.score import rank

    pool = context.store.candidates.find(probe, where, max(_POOL, 2 * count))
    verdict = rank(pool, probe, least)
    if least is None and len(verdict.chances) and verdict.chances[0] < _GATE:
        return []
    ids = pool.ids[verdict.rows[:count]].tolist()
    chances = verdict.chances.tolist()
    if least is None:
        chances = [chance for chance in chances if chance >= _BESIDE_BEST * chances[0]]
    return _named(context, ids, chances)


def lined_up(
    context: Context, task: str, probe: "Probe", where: Filter, count: int, *, all_of_them: bool
) -> list[tuple[Episode, float]]:
    """Return the episodes most like a task, each lesson once; only those that bear on it if wished.

    all_of_them: also those that are most like it and yet have nothing to do with it.
    """
    from milepost.experience.selection import Found, bearing, line_up

    scores = dict(find(context, probe, where, max(_LINED_UP, count), least=0.0))
    episodes = context.store.episodes.named(context.space, list(scores))
    near = context.texts.likeness(task, [episode.task for episode in episodes])
    found = [Found(e, scores[e.id], like) for e, like in zip(episodes, near, strict=True)]
    return line_up(found if all_of_them else bearing(found), context.clock() / 1e6, count)


def nearest(context: Context, draft: Draft, where: Filter, count: int) -> Named:
    """Return the ids behind the traces nearest in meaning to another, with their similarity."""
    from milepost.ranking.candidates import wordless_probe
    from milepost.ranking.score import nearest

    probe = wordless_probe(draft.content, draft.analysis.vectors)
    ids, scores = nearest(context.store.candidates.find(probe, where, max(_POOL, 2 * count)), probe)
    found = _named(context, ids[: count + 1], scores)
    own = draft.metadata["id"]
    return [(name, score) for name, score in found if name != own][:count]


def _named(context: Context, ids: Sequence[int], scores: Sequence[float]) -> Named:
    names = context.store.memories.owners(ids)
    return [(names[i], score) for i, score in zip(ids, scores, strict=False) if i in names]


def _draft(
    space: str, name: str, content: str, kind: str, labels: Sequence[str], created: float
) -> Draft:
    at = round(created * 1e6)
    return Draft(
        space=space,
        hash=entry_hash(name),
        content=content,
        kind=kind,
        tags=tuple(sorted(set(labels))),
        metadata={"id": name},
        session=None,
        author=None,
        projects=(),
        recorded=at,
        created=at,
        valid_from=at,
        supersedes=None,
        analysis=NOT_ANALYSED,
    )
