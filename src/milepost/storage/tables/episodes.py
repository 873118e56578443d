"""Episodes and their steps, in tables."""

import json
from collections.abc import Sequence
from typing import Any

from milepost.experience.values import (
    ABANDONED,
    Checkpoint,
    Ended,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Insight,
    Peer,
    Reward,
    Step,
    Term,
    ToolUse,
)
from milepost.storage.tables.database import Database
from milepost.storage.tables.named_values import ValueTable
from milepost.stored_time import to_seconds, to_us
from milepost.text.lines import counted

_TASK_CHARS = 60
# What is kept as JSON.
_LISTS = ("context", "tags", "artifacts", "insights")


class _Place:
    """Where the next steps of an episode go, while a transaction adds some."""

    def __init__(self, row: int, last: int) -> None:
        self.row = row
        self.touched_us = 0
        self._last = last
        self._taken: set[int] = set()
        # By the numbers that steps were asked to have, what these are and which they got.
        self._known: dict[int, dict[tuple[Any, ...], int]] = {}

    def take(self, number: int, asked: int | None, values: tuple[Any, ...]) -> None:
        """Know a step that is there."""
        self._taken.add(number)
        self._last = max(self._last, number)
        for name in {number, asked or number}:
            self._known.setdefault(name, {}).setdefault(values, number)

    def number(self, asked: int, values: tuple[Any, ...]) -> tuple[int, bool]:
        """Return the number of a step, and whether it is new: one that is sent again is not."""
        repeated = self._known.get(asked, {}).get(values) if asked else None
        if repeated is not None:
            return repeated, False
        number = asked if asked and asked not in self._taken else self._last + 1
        self.take(number, asked, values)
        return number, True


class EpisodeTable:
    """Keeps what was tried."""

    def __init__(self, database: Database, values: ValueTable) -> None:
        self._db = database
        self._values = values

    def begin(self, space: str, episode: Episode) -> bool:
        created_us = to_us(episode.created)
        with self._db.writing():
            lists = map(json.dumps, (episode.context, episode.tags, episode.relations))
            about = (episode.id, episode.task, episode.task_type, *lists)
            self._db.run("insert_episode", space, *about, created_us, created_us)
            begun = bool(self._db.changed())
            if begun:
                self._db.note(f"begin the episode {episode.task[:_TASK_CHARS]!r}")
            return begun

    def add_steps(self, space: str, episode: str, steps: Sequence[Step]) -> list[int]:
        with self._db.writing():
            row = self._db.row("episode_row", space, episode)
            if row is None:
                return [0] * len(steps)
            numbers = self._insert(_Place(*row), steps)
            for step in steps if self._db.would is not None else ():
                self._db.note(f"add the step {step.action!r} to {episode}")
            return numbers

    def change(
        self,
        space: str,
        episode: str,
        changes: EpisodeChanges,
        now_us: int,
        *,
        unless_ended: bool = False,
    ) -> bool:
        with self._db.writing():
            state = self._db.row("episode_state", space, episode)
            if state is None or (unless_ended and state[1] not in (None, ABANDONED)):
                return False
            self._change(int(state[0]), changes, now_us)
            named = [name for name, value in changes._asdict().items() if value is not None]
            ends = f"end {episode} as {changes.outcome}"
            self._db.note(ends if unless_ended else f"change {', '.join(named)} of {episode}")
            return True

    def remove(self, space: str, episode: str) -> bool:
        with self._db.writing():
            if self._db.would is not None:
                count = len(self.steps(space, episode))
                self._db.note(f"delete {episode} with {counted(count, 'step')}")
            self._db.run("delete_episode", space, episode)
            removed = bool(self._db.changed())
            self._db.run("forget_shown", space, episode)
            if removed:
                self._values.forget_if_bare(space)
                self._db.then(self._db.empty_log)
            return removed

    def find(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        return [_episode(row) for row in self._db.rows("episodes", _asked(where, limit))]

    def count(self, where: EpisodeFilter) -> int:
        return int(self._db.rows("count_episodes", _asked(where, 0))[0][0])

    def named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        if len(ids) == 1:
            return [_episode(row) for row in self._db.rows("episode_named", space, ids[0])]
        wanted = {"space": space, "ids": json.dumps(list(ids))}
        by_id = {row[0]: _episode(row) for row in self._db.rows("episodes_named", wanted)}
        return [by_id[name] for name in ids if name in by_id]

    def steps(self, space: str, episode: str) -> list[Step]:
        return [_step(row) for row in self._db.rows("steps", space, episode)]

    def last_step(self, space: str, episode: str) -> int | None:
        rows = self._db.rows("last_step", space, episode)
        return int(rows[0][0]) if rows else None

    def reward(self, space: str, episode: str) -> Reward | None:
        rows = self._db.rows("reward_terms", space, episode)
        if not rows or rows[0][1] is None:
            return None
        total, terms = rows[0]
        return Reward(total, tuple(Term(*term) for term in json.loads(terms)))

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        return [Peer(*row) for row in self._db.rows("peers", space, task_type, domain, limit)]

    def ended(self, where: EpisodeFilter, limit: int) -> list[Ended]:
        return [_ended(*row) for row in self._db.rows("ended_episodes", _asked(where, limit))]

    def tools(self, where: EpisodeFilter, limit: int) -> list[ToolUse]:
        return [ToolUse(*row) for row in self._db.rows("tools_used", _asked(where, limit))]

    def worked_on_us(self, space: str) -> int | None:
        touched: int | None = self._db.rows("last_touched", space)[0][0]
        return touched

    def idle(self, space: str, before_us: int, limit: int) -> list[str]:
        return [row[0] for row in self._db.rows("idle_episodes", space, before_us, limit)]

    def _insert(self, place: "_Place", steps: Sequence[Step]) -> list[int]:
        """Add steps after those that there are; return the number of each."""
        asked = sorted({step.number for step in steps if step.number})
        if asked:
            wanted = {"episode": place.row, "numbers": json.dumps(asked)}
            for number, known_as, *known in self._db.rows("steps_asked", wanted):
                place.take(number, known_as, tuple(known))
        told, rows = [], list[tuple[Any, ...]]()
        for step in steps:
            parameters = json.dumps(step.parameters, sort_keys=True)
            values = (step.tool, step.action, parameters, step.observation)
            number, is_new = place.number(step.number, (*values, int(step.success)))
            told.append(number)
            if is_new:
                at_us = to_us(step.at)
                place.touched_us = max(place.touched_us, at_us)
                other = step.number if step.number != number else None
                more = (step.success, step.latency_ms, step.tokens, at_us, other or None)
                rows.append((place.row, number, *values, *more))
        if rows:
            self._db.run_many("insert_step", rows)
            self._db.run("count_steps", len(rows), place.touched_us, place.row)
        return told

    def _change(self, row: int, changes: EpisodeChanges, now_us: int) -> None:
        total, terms = changes.reward or (None, None)
        values = changes._asdict() | {
            "row": row,
            "now": now_us,
            "completed": None if changes.completed is None else to_us(changes.completed),
            "reward": total,
            "terms": _json(terms),
        }
        values |= {name: _json(values[name]) for name in _LISTS}
        self._db.run("change_episode", values)
        if changes.relation is not None:
            self._db.run("add_relation", {"row": row, "pair": json.dumps(changes.relation)})
        if changes.checkpoint is not None:
            at, *about = changes.checkpoint
            there = json.loads(self._db.value("checkpoints", row))
            self._db.run("set_checkpoints", json.dumps([*there, [to_us(at), *about]]), row)


def _asked(where: EpisodeFilter, limit: int) -> dict[str, Any]:
    return where._asdict() | {"tags": json.dumps(where.tags), "limit": limit}


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value)


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
        tuple(Checkpoint(to_seconds(at), *about) for at, *about in _list(checkpoints)),
    )


def _ended(name: str, task_type: str, outcome: str, completed_us: int, context: str) -> Ended:
    return Ended(name, task_type, outcome, completed_us / 1e6, json.loads(context))


def _list(text: str) -> tuple[Any, ...]:
    # Most of them are empty, and reading is what showing many episodes costs.
    return () if text == "[]" else tuple(json.loads(text))


def _step(row: Any) -> Step:
    number, tool, action, text, observation, success, latency_ms, tokens, at_us = row
    parameters = {} if text == "{}" else json.loads(text)
    done = (number, tool, action, parameters, observation, bool(success))
    return Step(*done, latency_ms, tokens, at_us / 1e6)
