"""Close an episode: its reward, its reflection, and whether it deserves to be found."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from milepost.experience.lookup import analysed, episode_trace, label
from milepost.experience.novelty import Likeness
from milepost.experience.recording import Entry
from milepost.experience.values import (
    ClosingEntry,
    Enqueued,
    Episode,
    EpisodeChanges,
    EpisodeEntry,
    Peer,
    Reward,
    StepEntry,
)
from milepost.memory.context import Context
from milepost.memory.texts import Texts
from milepost.memory.values import Draft, Filter
from milepost.text.stems import stem
from milepost.text.words import content_words

if TYPE_CHECKING:
    from milepost.experience.reward import Peers

# The topics of what is learned from an episode after its end, and of looking after all of them.
LEARN, UPKEEP = "episode", "experience"
# An episode on which nobody worked for so long is closed as abandoned.
IDLE_S = 24 * 3600.0
_PEERS = 60
# Peers are those whose tasks share this much of their words, if there are a few; else all.
_ALIKE = 0.4
_PEERS_FEW = 5
_TASKS_CACHED = 10_000


def closing(context: Context, episode: Episode) -> ClosingEntry:
    """Return the entry that closes an episode which has an outcome and its steps."""
    from milepost.experience.reflection import reflect
    from milepost.experience.reward import reward

    names = context.store.shown_to(context.space, episode.id)
    shown = context.store.patterns_named(context.space, names) if names else []
    worth = reward(episode, _peers(context, episode), [kept.pattern for kept in shown])
    ended = episode._replace(insights=reflect(episode), reward=worth.total)
    now = context.clock()
    changes = EpisodeChanges(
        outcome=ended.outcome,
        verdict=ended.verdict,
        artifacts=ended.artifacts,
        completed=ended.completed,
        reward=worth,
        insights=ended.insights,
        job=Enqueued(LEARN, ended.id, "", now),
    )
    return ClosingEntry(context.space, ended.id, changes, now, ended)


def prepared(texts: Texts, likeness: Likeness, entries: list[Entry]) -> list[Entry]:
    """Return entries with what they are found by, and those that end with their salience."""
    entries = [_kept(entry) for entry in entries]
    drafts = {i: draft for i, entry in enumerate(entries) if (draft := _draft(entry)) is not None}
    for (place, _), draft in zip(
        drafts.items(), analysed(texts, list(drafts.values())), strict=True
    ):
        entry = entries[place]
        if isinstance(entry, EpisodeEntry):
            entries[place] = entry._replace(draft=draft)
        elif isinstance(entry, ClosingEntry) and entry.ended is not None:
            entries[place] = _judged(entry, entry.ended, draft, likeness)
    return entries


def _kept(entry: Entry) -> Entry:
    """Return an entry that ends an episode with lessons without secrets, and what finds it."""
    if not isinstance(entry, ClosingEntry) or entry.ended is None:
        return entry
    from milepost.experience.redaction import lessons_kept

    lessons = lessons_kept(entry.ended.insights)
    ended = entry.ended._replace(insights=lessons)
    changes = entry.changes._replace(insights=lessons, draft=episode_trace(entry.space, ended))
    return entry._replace(changes=changes, ended=ended)


def _draft(entry: Entry) -> Draft | None:
    if isinstance(entry, StepEntry):
        return None
    return entry.draft if isinstance(entry, EpisodeEntry) else entry.changes.draft


def _judged(entry: ClosingEntry, ended: Episode, trace: Draft, likeness: Likeness) -> ClosingEntry:
    """Return an entry with the salience of its episode, which decides whether it is found."""
    from milepost.experience.salience import SALIENT, salience

    where = Filter(
        trace.space, entry.now, tags=(label("outcome", ended.outcome),), kind=ended.task_type
    )
    worth = entry.changes.reward or Reward(0.0, ())
    value = salience(ended, ended.insights, worth, likeness.nearest(trace, where))
    if value <= SALIENT:
        trace = trace._replace(tags=episode_trace(entry.space, ended, salient=False).tags)
    return entry._replace(changes=entry.changes._replace(salience=value, draft=trace))


def upkeep_after(now: int) -> Enqueued:
    """Return the work of looking for episodes that nobody worked on since a time."""
    return Enqueued(UPKEEP, "", "", now + int(IDLE_S * 1e6))


def _peers(context: Context, episode: Episode) -> "Peers":
    """Return how episodes like one went: those with a similar task, or all of its type."""
    from milepost.experience.reward import Peers

    domain = episode.context.get("domain")
    named = domain if isinstance(domain, str) else None
    found = context.store.peers(context.space, episode.task_type, named, _PEERS)
    found = [peer for peer in found if peer.id != episode.id and peer.outcome != "abandoned"]
    alike = _alike(episode.task, found)
    chosen = alike if len(alike) >= _PEERS_FEW else found
    return Peers([peer.steps for peer in chosen], [peer.seconds for peer in chosen])


def _alike(task: str, peers: Sequence[Peer]) -> list[Peer]:
    mine = _words(task)
    if not mine:
        return []
    return [
        peer
        for peer in peers
        if len(mine & (theirs := _words(peer.task))) >= _ALIKE * max(len(mine), len(theirs))
    ]


@lru_cache(maxsize=_TASKS_CACHED)
def _words(task: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(task))
