"""Bring together all that bears on a task: memories, past episodes, patterns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from milepost.errors import InvalidInput, NotFound
from milepost.experience.entries import episode_space
from milepost.experience.patterns.pattern import DAY_S, succeeded
from milepost.experience.recording import find_episode, with_steps
from milepost.experience.redaction import as_shown, redacted_line
from milepost.experience.relevance import (
    PLACE,
    TRUSTED,
    VALUED,
    TaskQuery,
    most_similar,
    nearness,
    relevant_episodes,
    relevant_patterns,
    weight,
)
from milepost.experience.summaries import TASK_CHARS, lesson
from milepost.experience.values import Episode, Finding, Findings, Pattern, Playbook
from milepost.memory import validation
from milepost.memory.context import Context, Service, short_hashes
from milepost.memory.previews import PREVIEW_CHARS, passage
from milepost.memory.search import filter_for, rank_for
from milepost.memory.validation import Moment
from milepost.operation import operation
from milepost.text.fit import fit_rows
from milepost.text.lines import clip, day
from milepost.text.tokens import ceiling
from milepost.upkeep.recorder import Recorder

# So many of each are looked at, of which the best are shown.
_LOOKED_AT = 12
_PLAYBOOK_EPISODES, _PLAYBOOK_PATTERNS = 8, 12
# What shares this much of its words with something better says nothing more.
_ALIKE = 0.7
# A pattern whose advice begins like a line is what that line tells.
_ADVICE_BEGINS = 40


class Recommend(Service):
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
        asked = _task_query(here, query, context, domain, after, before)
        if episode is not None:
            find_episode(here, episode)
        probe = here.texts.probe(asked.text)
        memories = _memories(here, asked)
        episodes = relevant_episodes(here, probe, asked, _LOOKED_AT)
        patterns = relevant_patterns(here, probe, asked, _LOOKED_AT)
        findings = [
            *memories,
            *(_episode_finding(each, score, asked.text) for each, score in episodes),
            *(_pattern_finding(each, score) for each, score in patterns),
        ]
        best = _diverse(sorted(findings, key=lambda finding: -finding.score))
        return fit_rows(Findings(tuple(best[:count]), len(best), asked.text), "findings", room)

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
        asked = _task_query(here, task, context)
        here.part(Recorder).flush()
        own = None if episode is None else find_episode(here, episode).id
        probe = here.texts.probe(asked.text, whole=True)
        where = asked.where(here, episode_space(here.space))
        similar = most_similar(
            here, asked.text, probe, where, _PLAYBOOK_EPISODES, bearing_only=True
        )
        episodes = [
            # Of a failure what it taught is told, not its steps.
            (with_steps(here, e) if succeeded(e) else e, value * nearness(e.context, asked.place))
            for e, value in similar
            if e.outcome and e.id != own
        ]
        patterns = relevant_patterns(here, probe, asked, _PLAYBOOK_PATTERNS)
        text = playbook(asked.text, episodes, _borne_out(patterns, episodes), room, redacted_line)
        named = tuple(e.id for e, _ in episodes if e.id in text)
        shown = tuple(pattern.id for pattern, _ in patterns if _is_told(pattern, text))
        return Playbook(text, named, shown, ceiling(text) if text else 0)

    @operation(
        "pattern",
        example='note_shown("ep_04wzxy3m8kq2", ["pt_0f1e2d3c4b5a6978"])',
        idempotent=True,
        scope="read",
    )
    def note_shown(self, episode: str, patterns: Sequence[str]) -> str:
        """Note that whoever works on an episode was told of patterns, and return its id.

        Its outcome then tells whether they helped. What recommend and query_memory show for an
        episode is noted by itself on the command line, over HTTP and MCP and in programs that may
        write; in Python, where a read only reads, whoever shows it calls this.

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


def _task_query(
    here: Context,
    query: object,
    context: object,
    domain: object = None,
    after: Moment | None = None,
    before: Moment | None = None,
) -> TaskQuery:
    about, now_us = validation.metadata(context, "context"), here.clock()
    return TaskQuery(
        validation.query(query),
        {key: about[key] for key in PLACE if about.get(key)},
        validation.optional_name("domain", domain),
        validation.moment("after", after, now_us),
        validation.moment("before", before, now_us),
    )


def _memories(here: Context, asked: TaskQuery) -> list[Finding]:
    where = filter_for(here)._replace(after_us=asked.after_us, before_us=asked.before_us)
    ranked = rank_for(here, asked.text, where, _LOOKED_AT)
    scores = dict(zip(ranked.ids[:_LOOKED_AT], ranked.scores, strict=False))
    records = here.store.memories.records(list(scores))
    names = short_hashes(here, [record.hash for record in records])
    now_s, findings = here.now_s, []
    for name, record in zip(names, records, strict=True):
        created_s = record.created_us / 1e6
        value = weight(scores[record.id], VALUED, (now_s - created_s) / DAY_S, TRUSTED)
        passed = passage(record.content, ranked.sought, PREVIEW_CHARS)
        text = f"{day(created_s)} {passed}"
        findings.append(Finding("memory", name, text, created_s, round(value, 4)))
    return findings


def _episode_finding(episode: Episode, score: float, about: str) -> Finding:
    taught = lesson(episode, about)
    text = f"{episode.outcome or 'open'}: {clip(episode.task, TASK_CHARS)}"
    text += f" -> {taught}" if taught else ""
    return Finding("episode", episode.id, as_shown(text), episode.created, round(score, 4))


def _pattern_finding(pattern: Pattern, score: float) -> Finding:
    held = f"(held {pattern.successes}/{pattern.successes + pattern.failures})"
    text = f"{pattern.kind}: {pattern.situation} -> {pattern.advice} {held}"
    return Finding("pattern", pattern.id, as_shown(text), pattern.updated, round(score, 4))


def _borne_out(
    patterns: Sequence[tuple[Pattern, float]], episodes: Sequence[tuple[Episode, float]]
) -> list[tuple[Pattern, float]]:
    """Return patterns that weigh no less than the episodes at hand in which they were seen."""
    weights = {episode.id: value for episode, value in episodes}
    return [
        (pattern, max([value, *(weights.get(name, 0.0) for name in pattern.evidence)]))
        for pattern, value in patterns
    ]


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
    """Tell whether a playbook says what a pattern says."""
    from milepost.experience.patterns.kinds import KINDS

    if KINDS[pattern.kind].is_route:
        return bool(pattern.steps) and all(step in text for step in pattern.steps[:3])
    return as_shown(pattern.advice).partition("; then ")[0][:_ADVICE_BEGINS] in text
