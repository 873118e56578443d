"""Tasks that an agent wrote down for itself and did not finish."""

from __future__ import annotations

import re

from milepost.memory.values import ASSISTANT
from milepost.sessions.state import as_mapping
from milepost.sessions.values import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from milepost.sessions.values import Turn

_TASKS_MAX = 6
_CREATED = re.compile(r"#?(\d+)")


def unfinished(turns: Sequence[Turn]) -> Iterator[tuple[int, Note]]:
    """Yield one note with what the last state of a session's list of tasks leaves to do."""
    listed: list[tuple[str, bool]] = []
    numbered: dict[str, tuple[str, bool]] = {}
    last, at = 0, None
    for place, turn in enumerate(turns):
        if turn.role != "tool" or turn.failed or turn.tool not in _READERS:
            continue
        asked = as_mapping(turn.input)
        last, at = place, turn.at
        if turn.tool == "TodoWrite":
            listed = list(_todos(asked.get("todos")))
        else:
            _number(numbered, asked, turn.text)
    left = [task for task, done in [*listed, *numbered.values()] if not done]
    if left:
        rest = f"; and {len(left) - _TASKS_MAX} more" if len(left) > _TASKS_MAX else ""
        text = f"Left to do: {'; '.join(left[:_TASKS_MAX])}{rest}"
        yield last, Note("next", text, ("todo",), at, source=ASSISTANT)


_READERS = frozenset(("TodoWrite", "TaskCreate", "TaskUpdate"))


def _todos(todos: object) -> Iterator[tuple[str, bool]]:
    for todo in todos if isinstance(todos, list) else ():
        if isinstance(todo, dict) and isinstance(todo.get("content"), str):
            yield todo["content"], todo.get("status") in ("completed", "cancelled")


def _number(numbered: dict[str, tuple[str, bool]], asked: dict[str, Any], answer: str) -> None:
    """Follow the tasks that are created and updated one by one."""
    subject = asked.get("subject")
    key = asked.get("taskId") or asked.get("task_id")
    if key is None:
        created = _CREATED.search(answer)
        key = created[1] if created else str(len(numbered) + 1)
    known = numbered.get(str(key), ("", False))
    task = subject if isinstance(subject, str) else known[0]
    status = asked.get("status")
    done = status in ("completed", "deleted", "cancelled") if status is not None else known[1]
    if task:
        numbered[str(key)] = (task, done)
