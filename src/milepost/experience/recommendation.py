"""Bring together all that bears on a task: memories, past episodes, patterns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from milepost.errors import InvalidInput, NotFound
from milepost.experience.lookup import (
    SALIENT,
    episodes_beside,
    find,
    find_episode,
    label,
    lined_up,
    patterns_beside,
    with_steps,
)
from milepost.experience.patterns.pattern import DAY_S, decayed, effectiveness, succeeded
from milepost.experience.recording import Recorder
from milepost.experience.redaction import handed_out, told
from milepost.experience.selection import weight
from milepost.experience.summaries import TASK_CHARS, fit_rows, lesson
from milepost.experience.values import Episode, Finding, Findings, Pattern, Playbook
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.previews import PREVIEW_CHARS, preview
from milepost.memory.search import filter_for, rank_for
from milepost.memory.validation import Moment
from milepost.memory.values import Filter
from milepost.operation import operation
from milepost.text.sentences import clip
from milepost.text.tokens import ceiling

if TYPE_CHECKING:
    from milepost.ranking.candidates import Probe

# So many of each are looked at, of which the best are shown.
_LOOKED_AT = 12
_PLAYBOOK_EPISODES, _PLAYBOOK_PATTERNS = 8, 12
# What shares this much of its words with something better says nothing more.
_ALIKE = 0.7
# A pattern whose advice begins like a line is what that line tells.
_ADVICE_BEGINS = 40
# A memory is taken as true and as of value, whatever it is about.
_TRUSTED, _VALUED = 1.0, "success"
# Of the context, what tells whether two tasks belong together; and what is left of the weight of
# one that took place elsewhere. The words of a context are not searched for: every task in the same
# place has them, and says nothing by them.
_PLACE = ("repository", "repo", "project", "framework", "language", "domain")
_ELSEWHERE = 0.6


class Asked(NamedTuple):
    """A task or a question, with where it comes up, and where and when to look."""

    text: str
    place: Mapping[str, Any]
    domain: str | None
    after: int | None
    before: int | None


class Experience(Service):
    """The operations that answer from everything that is known."""

    @operation(
        "memory",
        example='query_memory("the login test fails now and then", budget=400)',
        read_only=True,
        renamed={"k": "limit", "n_results": "limit", "top_k": "limit"},
        noted_by="note_shown",
    )
    def query_memory(
        self,
        query: str,
        context: Mapping[str, Any] | None = None,
        limit: int = 8,
        budget: int = 600,
        domain: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        episode: str | None = None,
    ) -> Findings:
        """Show the best of all that bears on a task: memories, past episodes, patterns and traps.

        query: the task or the question, in words.
        context: where: language, framework, domain.
        limit: how many to show at most.
        budget: ceiling in tokens for the text of the result.
        domain: only episodes and patterns of this domain.
        after: only what is from this time or later.
        before: only what is from before this time.
        episode: the episode that this is for; its outcome tells whether the patterns helped.
        """
        here = self._context
        count, room = validation.limit(limit), validation.budget(budget) or 600
        asked = _asked(here, query, context, domain, after, before)
        if episode is not None:
            find_episode(here, episode)
        probe = here.texts.probe(asked.text)
        memories = _memories(here, asked)
        found = [
            *memories,
            *_episodes_found(here, probe, asked),
            *_patterns_found(here, probe, asked),
        ]
        best = _diverse(sorted(found, key=lambda finding: -finding.score))
        result = Findings(tuple(best[:count]), len(best), asked.text)
        return fit_rows(result, result.findings, room, lambda few: result._replace(findings=few))

    @operation(
        "pattern",
        example='recommend("fix the flaky login test", {"language": "python"})',
        read_only=True,
        noted_by="note_shown",
    )
    def recommend(
        self,
        task: str,
        context: Mapping[str, Any] | None = None,
        budget: int = 300,
        episode: str | None = None,
    ) -> Playbook:
        """Tell how a task like this was done before: steps that worked, traps, with evidence.

        task: what is to be done, in words.
        context: where: language, framework, domain.
        budget: ceiling in tokens for the text of the result.
        episode: the episode that this is for; its outcome tells whether the patterns helped.
        """
        from milepost.experience.playbook import playbook

        here = self._context
        room = validation.budget(budget) or 300
        asked = _asked(here, task, context)
        probe = here.texts.probe(asked.text)
        here.part(Recorder).flush()
        own = None if episode is None else find_episode(here, episode).id
        where = _where(here, episodes_beside(here.space), asked)
        episodes = lined_up(here, asked.text, probe, where, _PLAYBOOK_EPISODES, all_of_them=False)
        whole = [
            # Of a failure the lessons are told, not the way.
            (
                with_steps(here, e) if succeeded(e) else e,
                worth * _nearness(e.context, asked.place),
            )
            for e, worth in episodes
            if e.outcome and e.id != own
        ]
        patterns = _weighed_patterns(here, probe, asked, _PLAYBOOK_PATTERNS)
        text = playbook(asked.text, whole, _borne_out(patterns, whole), room, handed_out)
        shown = [pattern.id for pattern, _ in patterns if _is_told(pattern, text)]
        named = tuple(e.id for e, _ in whole if e.id in text)
        return Playbook(text, named, tuple(shown), ceiling(text) if text else 0)

    @operation(
        "pattern",
        example='note_shown("ep_04wzxy3m8kq2", ["pt_0f1e2d3c4b5a6978"])',
        idempotent=True,
    )
    def note_shown(self, episode: str, patterns: Sequence[str]) -> str:
        """Note that whoever works on an episode was told of patterns, and return its id.

        Its outcome then tells whether they helped. What recommend and query_memory show for an
        episode is noted by itself, unless a program asks that may only read.

        episode: the id of the episode.
        patterns: the ids of the patterns.
        """
        here = self._context
        if isinstance(patterns, str) or not isinstance(patterns, Iterable):
            raise InvalidInput("patterns must be a list of the ids of patterns.")
        names = [validation.name("pattern", pattern) for pattern in patterns]
        name = find_episode(here, episode).id
        known = {stored.pattern.id for stored in here.store.patterns.named(here.space, names)}
        for unknown in (pattern for pattern in names if pattern not in known):
            raise NotFound(f"There is no pattern {unknown}; list_patterns shows those there are.")
        here.store.patterns.show(here.space, name, names)
        return name


def _asked(
    here: Context,
    query: object,
    context: object,
    domain: object = None,
    after: Moment | None = None,
    before: Moment | None = None,
) -> Asked:
    given, now = validation.metadata(context, "context"), here.clock()
    return Asked(
        validation.query(query),
        {key: given[key] for key in _PLACE if given.get(key)},
        validation.optional_name("domain", domain),
        validation.moment("after", after, now),
        validation.moment("before", before, now),
    )


def _memories(here: Context, asked: Asked) -> list[Finding]:
    where = filter_for(here)._replace(after=asked.after, before=asked.before)
    ranked = rank_for(here, asked.text, where, _LOOKED_AT)
    scores = dict(zip(ranked.ids[:_LOOKED_AT], ranked.scores, strict=False))
    records = here.store.memories.records(list(scores))
    names = short_hashes(here, [record.hash for record in records])
    now = here.clock()
    return [
        Finding(
            "memory",
            name,
            preview(record.content, record.created, ranked.weights, PREVIEW_CHARS),
            record.created / 1e6,
            round(weight(scores[record.id], _VALUED, _days(record.created, now), _TRUSTED), 4),
        )
        for name, record in zip(names, records, strict=True)
    ]


def _episodes_found(here: Context, probe: "Probe", asked: Asked) -> list[Finding]:
    return [
        Finding("episode", e.id, told(_in_a_line(e, asked.text)), e.created, round(score, 4))
        for e, score in _weighed_episodes(here, probe, asked, _LOOKED_AT)
    ]


def _in_a_line(episode: Episode, about: str) -> str:
    lessons = lesson(episode, about)
    ended = f"{episode.outcome or 'open'}: {clip(episode.task, TASK_CHARS)}"
    return f"{ended} -> {lessons}" if lessons else ended


def _patterns_found(here: Context, probe: "Probe", asked: Asked) -> list[Finding]:
    return [
        Finding(
            "pattern",
            pattern.id,
            told(f"{pattern.kind}: {pattern.situation} -> {pattern.advice} {_held(pattern)}"),
            pattern.updated,
            round(score, 4),
        )
        for pattern, score in _weighed_patterns(here, probe, asked, _LOOKED_AT)
    ]


def _held(pattern: Pattern) -> str:
    return f"(held {pattern.successes}/{pattern.successes + pattern.failures})"


def _weighed_episodes(
    here: Context, probe: "Probe", asked: Asked, count: int
) -> list[tuple[Episode, float]]:
    """Return completed episodes with relevance × outcome × recency × nearness."""
    here.part(Recorder).flush()
    scores = dict(find(here, probe, _where(here, episodes_beside(here.space), asked), count))
    now = here.clock()
    weighed = []
    for e in here.store.episodes.named(here.space, list(scores)):
        if e.outcome is not None:
            age = _days(round(e.created * 1e6), now)
            worth = weight(scores[e.id], e.outcome, age, _TRUSTED)
            weighed.append((e, worth * _nearness(e.context, asked.place)))
    return weighed


def _weighed_patterns(
    here: Context, probe: "Probe", asked: Asked, count: int
) -> list[tuple[Pattern, float]]:
    """Return patterns with relevance × recency × confidence × what became of showing them."""
    from milepost.experience.patterns.kinds import KINDS

    scores = dict(find(here, probe, _where(here, patterns_beside(here.space), asked), count))
    now = here.clock()
    weighed = []
    for kept in here.store.patterns.named(here.space, list(scores)):
        pattern = decayed(kept.pattern, now / 1e6)
        age = _days(round(pattern.updated * 1e6), now)
        near = _nearness(pattern.context, asked.place)
        if KINDS[pattern.kind].is_local and near < 1:
            continue
        worth = weight(scores[pattern.id], _VALUED, age, pattern.confidence)
        weighed.append((pattern, worth * (0.5 + effectiveness(pattern)) * near))
    return sorted(weighed, key=lambda found: -found[1])


def _nearness(context: Mapping[str, Any], place: Mapping[str, Any]) -> float:
    """Return 1 where nothing speaks against the same place, less where something does."""
    both = [key for key in place if context.get(key)]
    return _ELSEWHERE if any(context[key] != place[key] for key in both) else 1.0


def _borne_out(
    patterns: Sequence[tuple[Pattern, float]], episodes: Sequence[tuple[Episode, float]]
) -> list[tuple[Pattern, float]]:
    """Return patterns that weigh no less than the episodes at hand in which they were seen."""
    weights = {episode.id: worth for episode, worth in episodes}
    return [(pattern, max(worth, _seen_in(pattern, weights))) for pattern, worth in patterns]


def _seen_in(pattern: Pattern, weights: Mapping[str, float]) -> float:
    return max((weights.get(name, 0.0) for name in pattern.evidence), default=0.0)


def _where(here: Context, space: str, asked: Asked) -> Filter:
    labels = [SALIENT]
    labels += [] if asked.domain is None else [label("domain", asked.domain)]
    return Filter(
        space,
        here.clock(),
        tags=tuple(labels),
        match_all=True,
        after=asked.after,
        before=asked.before,
    )


def _days(created: int, now: int) -> float:
    return max(now - created, 0) / 1e6 / DAY_S


def _diverse(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without those that say what a better one says already."""
    shown: list[Finding] = []
    words: list[frozenset[str]] = []
    for finding in findings:
        mine = frozenset(finding.text.lower().split())
        if not any(len(mine & seen) >= _ALIKE * min(len(mine), len(seen)) for seen in words):
            shown.append(finding)
            words.append(mine)
    return shown


def _is_told(pattern: Pattern, text: str) -> bool:
    """Whether a playbook says what a pattern says."""
    from milepost.experience.patterns.kinds import KINDS

    if KINDS[pattern.kind].is_way:
        return bool(pattern.steps) and all(step in text for step in pattern.steps[:3])
    return told(pattern.advice).partition("; then ")[0][:_ADVICE_BEGINS] in text
