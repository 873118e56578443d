"""Episodes, steps and patterns in tables."""

import json
from collections.abc import Sequence
from typing import Any

from milepost.experience.values import (
    ABANDONED,
    Checkpoint,
    ClosingEntry,
    Episode,
    EpisodeChanges,
    EpisodeEntry,
    EpisodeFilter,
    Insight,
    Kept,
    Pattern,
    Peer,
    Reward,
    Step,
    StepEntry,
    Term,
)
from milepost.memory.values import Draft
from milepost.storage.sqlite.jobs import SqliteJobs

Entry = EpisodeEntry | StepEntry | ClosingEntry


class _Changed(Exception):
    """Another process changed a pattern meanwhile."""


class _Place:
    """Where the next steps of an episode go, while a transaction adds some."""

    def __init__(self, row: int, last: int) -> None:
        self.row = row
        self.last = last
        self.added = 0
        self.touched = 0


class SqliteExperience(SqliteJobs):
    """Keeps what was tried, and what was learned from it."""

    def log(self, entries: Sequence[Entry], *, durable: bool = True) -> list[int]:
        places: dict[tuple[str, str], _Place | None] = {}
        with self._writing(durable=durable):
            told = [self._entered(entry, places) for entry in entries]
            for place in places.values():
                if place is not None and place.added:
                    self._do("count_steps", place.added, place.touched, place.row)
        return told

    def last_step(self, space: str, episode: str) -> int | None:
        found = self._rows("last_step", space, episode)
        return int(found[0][0]) if found else None

    def episodes(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        return [_episode(row) for row in self._rows("episodes", _asked(where, limit))]

    def count_episodes(self, where: EpisodeFilter) -> int:
        return int(self._rows("count_episodes", _asked(where, 0))[0][0])

    def episodes_named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        wanted = {"space": space, "ids": json.dumps(list(ids))}
        found = {row[0]: _episode(row) for row in self._rows("episodes_named", wanted)}
        return [found[name] for name in ids if name in found]

    def steps(self, space: str, episode: str) -> list[Step]:
        return [_step(row) for row in self._rows("steps", space, episode)]

    def change_episode(self, space: str, episode: str, changes: EpisodeChanges, now: int) -> bool:
        with self._writing():
            found = self._do("episode_state", space, episode).fetchone()
            if found is not None:
                self._change(space, int(found[0]), changes, now)
            return found is not None

    def reward_of(self, space: str, episode: str) -> Reward | None:
        found = self._rows("reward_terms", space, episode)
        if not found or found[0][1] is None:
            return None
        total, terms = found[0]
        return Reward(total, tuple(Term(*term) for term in json.loads(terms)))

    def remove_episode(self, space: str, episode: str) -> bool:
        with self._writing():
            self._do("delete_episode", space, episode)
            removed = bool(self._writer.changes())
            self._do("forget_shown", space, episode)
            return removed

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        return [Peer(*row) for row in self._rows("peers", space, task_type, domain, limit)]

    def idle_episodes(self, space: str, before: int, limit: int) -> list[str]:
        return [row[0] for row in self._rows("idle_episodes", space, before, limit)]

    def traced(self, ids: Sequence[int]) -> dict[int, str]:
        return dict(self._rows("traced", json.dumps(list(ids))))

    def patterns(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[Kept]:
        wanted = {"space": space, "kind": kind, "retired": retired, "limit": limit}
        return [_kept(row) for row in self._rows("patterns", wanted)]

    def patterns_named(self, space: str, ids: Sequence[str]) -> list[Kept]:
        wanted = {"space": space, "ids": json.dumps(list(ids))}
        found = [_kept(row) for row in self._rows("patterns_named", wanted)]
        by_id = {kept.pattern.id: kept for kept in found}
        return [by_id[name] for name in ids if name in by_id]

    def patterns_of(self, space: str, episode: str) -> list[Kept]:
        wanted = {"space": space, "episode": episode}
        return [_kept(row) for row in self._rows("patterns_of_episode", wanted)]

    def learn(self, space: str, episode: str | None, patterns: Sequence[Kept]) -> bool:
        try:
            with self._writing():
                self._learn(space, episode, patterns)
        except _Changed:
            return False
        return True

    def remove_patterns(self, space: str, ids: Sequence[str]) -> None:
        with self._writing():
            for name in ids:
                self._do("delete_pattern", space, name)

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        with self._writing():
            for name in patterns:
                self._do("show", space, episode, name)

    def shown_to(self, space: str, episode: str) -> list[str]:
        return [row[0] for row in self._rows("shown_to", space, episode)]

    def _put(self, draft: Draft) -> None:
        """Store what an episode or a pattern is found by, in place of what it was found by."""
        raise NotImplementedError

    def _entered(self, entry: Entry, places: dict[tuple[str, str], _Place | None]) -> int:
        if isinstance(entry, StepEntry):
            return self._step(entry, places)
        return self._begin(entry) if isinstance(entry, EpisodeEntry) else self._end(entry)

    def _end(self, entry: ClosingEntry) -> int:
        found = self._do("episode_state", entry.space, entry.episode).fetchone()
        if found is None or found[1] not in (None, ABANDONED):
            return 0
        self._change(entry.space, int(found[0]), entry.changes, entry.now)
        return 1

    def _begin(self, entry: EpisodeEntry) -> int:
        begun, created = entry.episode, _micros(entry.episode.created)
        self._do(
            "insert_episode",
            entry.space,
            begun.id,
            begun.task,
            begun.task_type,
            json.dumps(begun.context),
            json.dumps(begun.tags),
            json.dumps(begun.relations),
            created,
            created,
        )
        if not self._writer.changes():
            return 0
        self._put(entry.draft)
        if entry.job is not None:
            self._enqueue(entry.space, *entry.job)
        return 1

    def _step(self, entry: StepEntry, places: dict[tuple[str, str], _Place | None]) -> int:
        key = (entry.space, entry.episode)
        if key not in places:
            found = self._do("episode_row", *key).fetchone()
            places[key] = None if found is None else _Place(*found)
        place, step = places[key], entry.step
        if place is None:
            return 0
        parameters = json.dumps(step.parameters, sort_keys=True)
        values = (step.tool, step.action, parameters, step.observation)
        number = self._number(place, step, values) if step.number else place.last + 1
        if number < 0:
            return -number
        place.last = max(place.last, number)
        place.added += 1
        at = _micros(step.at)
        place.touched = max(place.touched, at)
        asked = step.number if step.number != number else None
        self._do(
            "insert_step", place.row, number, *values, step.success, step.latency_ms, step.tokens,
            at, asked or None,
        )  # fmt: skip
        return number

    def _number(self, place: _Place, step: Step, values: tuple[str, ...]) -> int:
        """Return where a numbered step goes; the number it has already, negative, for a repeat."""
        wanted = {"episode": place.row, "number": step.number}
        taken = False
        found: list[Any] = self._do("steps_asked", wanted).fetchall()
        for number, *known in found:
            if tuple(known) == (*values, int(step.success)):
                return -int(number)
            taken = taken or number == step.number
        return place.last + 1 if taken else step.number

    def _change(self, space: str, row: int, changes: EpisodeChanges, now: int) -> None:
        total, terms = changes.reward or (None, None)
        self._do(
            "change_episode",
            {
                "row": row,
                "now": now,
                "task": changes.task,
                "task_type": changes.task_type,
                "context": _json(changes.context),
                "tags": _json(changes.tags),
                "outcome": changes.outcome,
                "verdict": changes.verdict,
                "artifacts": _json(changes.artifacts),
                "completed": None if changes.completed is None else _micros(changes.completed),
                "reward": total,
                "terms": _json(terms),
                "insights": _json(changes.insights),
                "salience": changes.salience,
            },
        )
        if changes.relation is not None:
            self._do("add_relation", {"row": row, "pair": json.dumps(changes.relation)})
        if changes.checkpoint is not None:
            self._do("add_checkpoint", json.dumps(changes.checkpoint), row)
        if changes.draft is not None:
            self._put(changes.draft)
        if changes.job is not None:
            self._enqueue(space, *changes.job)

    def _learn(self, space: str, episode: str | None, patterns: Sequence[Kept]) -> None:
        if episode is not None:
            found = self._do("is_learned", space, episode).fetchone()
            if found is None or found[0]:
                return
            self._do("set_learned", space, episode)
        for kept in patterns:
            self._put_pattern(space, kept)

    def _put_pattern(self, space: str, kept: Kept) -> None:
        pattern = kept.pattern
        values = {
            "space": space,
            "id": pattern.id,
            "kind": pattern.kind,
            "retired": pattern.retired,
            "confidence": pattern.confidence,
            "version": kept.version,
            "body": json.dumps(pattern._asdict()),
        }
        self._do("update_pattern" if kept.version else "insert_pattern", values)
        if not self._writer.changes():
            raise _Changed
        if kept.draft is not None:
            self._put(kept.draft)


def _asked(where: EpisodeFilter, limit: int) -> dict[str, Any]:
    return where._asdict() | {"tags": json.dumps(where.tags), "limit": limit}


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value)


def _micros(seconds: float) -> int:
    return round(seconds * 1e6)


def _episode(row: Any) -> Episode:
    (name, task, task_type, context, tags, outcome, verdict, artifacts, created, completed, reward,
     insights, salience, relations, step_count, checkpoints) = row  # fmt: skip
    return Episode(
        name,
        task,
        task_type,
        {} if context == "{}" else json.loads(context),
        _list(tags),
        outcome,
        verdict,
        _list(artifacts),
        created / 1e6,
        None if completed is None else completed / 1e6,
        reward,
        tuple(Insight(aspect, text, tuple(steps)) for aspect, text, steps in _list(insights)),
        salience,
        tuple((relation, other) for relation, other in _list(relations)),
        step_count,
        (),
        tuple(Checkpoint(*point) for point in _list(checkpoints)),
    )


def _list(text: str) -> tuple[Any, ...]:
    # Most of them are empty, and reading is what showing many episodes costs.
    return () if text == "[]" else tuple(json.loads(text))


def _step(row: Any) -> Step:
    number, tool, action, parameters, observation, success, latency_ms, tokens, at = row
    return Step(
        number,
        tool,
        action,
        {} if parameters == "{}" else json.loads(parameters),
        observation,
        bool(success),
        latency_ms,
        tokens,
        at / 1e6,
    )


_TUPLES = ("steps", "evidence", "against")


def _kept(row: Any) -> Kept:
    fields = json.loads(row[0])
    fields |= {name: tuple(fields[name]) for name in _TUPLES}
    return Kept(Pattern(**fields), row[1])
