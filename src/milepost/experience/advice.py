"""What past attempts taught that bears on the work at hand, a line each."""

from __future__ import annotations

from collections.abc import Collection

from milepost.experience.entries import SALIENT, episode_space
from milepost.experience.patterns.pattern import succeeded
from milepost.experience.redaction import as_shown
from milepost.experience.values import SOLVED_BY, Episode
from milepost.memory.context import Context
from milepost.memory.values import Filter
from milepost.text.lines import age, clip, clip_at_word
from milepost.text.words import languages
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.ranking.candidates import Probe

# An attempt bears on a prompt whose telling words it shares to this part, if that and how alike the
# tasks are make up the second. The static model finds all texts alike in a language that it does
# not know: there the words must do, at the third. Chosen on the development half of the written
# months of sessions (`bench/month.py`), where nine of the ten that were told were the right ones.
_SHARED, _BEARING, _SHARED_ABROAD = 0.1, 0.42, 0.14
# So many of the best by words and meaning are compared.
_COMPARED = 24
# Fewer words than this are about nothing.
_WORDS_MIN = 3
_TASK_CHARS, _FAILED_CHARS, _LESSON_CHARS = 90, 160, 400


class Lesson(NamedTuple):
    """An attempt by its id, and the line that tells of it."""

    id: str
    line: str


def lessons(
    context: Context,
    probe: Probe,
    project: str | None,
    session: str | None,
    known: Collection[str],
    branches: Collection[str] | None = None,
) -> list[Lesson]:
    """Return what earlier attempts at the same thing taught, the most alike first.

    session: the one that is told; what it tried itself it knows. known: what it was told already.
    branches: those whose work is known here; then only what no session has solved yet is told, for
        what was done is done until it is asked for again.
    """
    told = []
    for episode in alike(context, probe, project):
        its_session = episode.context.get("session")
        if episode.id in known or (its_session is not None and its_session == session):
            continue
        if branches is not None and its_session is not None and not _is_open(episode, branches):
            continue
        if taught := _taught(context, episode):
            told.append(Lesson(episode.id, _line(context, episode, taught)))
    return told


def _is_open(episode: Episode, branches: Collection[str]) -> bool:
    here = episode.context.get("branch") in (None, *branches)
    return here and not succeeded(episode) and SOLVED_BY not in dict(episode.relations)


def alike(context: Context, probe: Probe, project: str | None) -> list[Episode]:
    """Return the attempts that bear on a task in words, the most alike first."""
    probe = _without_numbers(probe)
    if len(probe.words) < _WORDS_MIN:
        return []
    from milepost.ranking.features import shared_words

    where = Filter(
        episode_space(context.space),
        context.clock(),
        tags=(SALIENT,),
        match_all=True,
        project=project,
        or_unowned=True,
    )
    abroad = bool(languages(probe.text))
    least = _SHARED_ABROAD if abroad else _SHARED
    pool = context.store.candidates.find(probe, where, _COMPARED)
    pairs = zip(pool.ids.tolist(), shared_words(pool, probe).tolist(), strict=True)
    by_entry = {entry: share for entry, share in pairs if share >= least}
    names = context.store.memories.owners(list(by_entry))
    shares = {name: by_entry[entry] for entry, name in names.items()}
    episodes = context.store.episodes.named(context.space, list(shares))
    likeness = context.texts.likeness(probe.text, [episode.task for episode in episodes])
    weighed = [
        (shares[episode.id] + like, episode)
        for episode, like in zip(episodes, likeness, strict=True)
        if abroad or shares[episode.id] + like >= _BEARING
    ]
    return [episode for _, episode in sorted(weighed, key=lambda pair: -pair[0])]


def _without_numbers(probe: Probe) -> Probe:
    """Return a question without small numbers, which all kinds of tasks have in common."""
    told = [i for i, w in enumerate(probe.words) if not (w.text.isdigit() and len(w.text) < 3)]
    return probe._replace(
        words=tuple(probe.words[i] for i in told),
        word_vectors=probe.word_vectors[told],
        kinship=probe.kinship[:, told],
    )


def _taught(context: Context, episode: Episode) -> str:
    """Return what went wrong in an attempt and what helped; nothing of one that went smoothly."""
    fixed, failed = _first(episode, "fixed"), _first(episode, "failed")
    if episode.outcome is None:
        return ""
    if succeeded(episode):
        # What was committed while something failed is told with that.
        left = clip_at_word(failed, _FAILED_CHARS) if episode.outcome == "partial" else ""
        return episode.verdict or "; ".join(filter(None, (left, fixed)))
    named = dict(episode.relations).get(SOLVED_BY)
    later = context.store.episodes.named(context.space, [named] if named else [])
    helped = "".join(f"then: {e.verdict or _first(e, 'worked')}" for e in later)
    # What was said of it in words is not told twice.
    seen = "" if failed in episode.verdict and not helped else clip_at_word(failed, _FAILED_CHARS)
    return "; ".join(filter(None, (seen, helped or episode.verdict or fixed)))


def _first(episode: Episode, aspect: str) -> str:
    return next((insight.text for insight in episode.insights if insight.aspect == aspect), "")


def _line(context: Context, episode: Episode, taught: str) -> str:
    ago = age(context.clock() - round(episode.created * 1e6))
    branch = episode.context.get("branch")
    how = f"{episode.outcome} on {branch}" if branch else episode.outcome
    task = clip(episode.task, _TASK_CHARS)
    lesson = clip_at_word(taught, _LESSON_CHARS)
    return as_shown(f"tried before ({episode.id}, {ago}, {how}): {task} -> {lesson}")
