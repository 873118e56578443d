"""Episodes in few words, for the tests of what is learned from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from milepost.experience.values import Episode, Pattern, Step


def step(
    number: int, tool: str, action: str, seen: str = "", *, ok: bool = True, **more: Any
) -> Step:
    return Step(number, tool, action, more.pop("parameters", {}), seen, ok, **more)


def shell(number: int, command: str, seen: str = "", *, ok: bool = True, **more: Any) -> Step:
    return step(number, "bash", command, seen, ok=ok, **more)


def edit(number: int, path: str) -> Step:
    return step(number, "edit", "replace", parameters={"path": path})


def episode(
    *steps: Step,
    id: str = "ep_1",
    task: str = "Fix the lookup of users",
    task_type: str = "bugfix",
    outcome: str | None = "success",
    verdict: str = "",
    context: Mapping[str, Any] | None = None,
    artifacts: Sequence[str] = (),
    seconds: float | None = 60.0,
    created: float = 0.0,
    **more: Any,
) -> Episode:
    made = Episode(
        id=id,
        task=task,
        task_type=task_type,
        context=context or {},
        tags=(),
        outcome=outcome,
        verdict=verdict,
        artifacts=tuple(artifacts),
        created=created,
        completed=None if seconds is None else created + seconds,
        reward=None,
        insights=(),
        salience=None,
        relations=(),
        step_count=len(steps),
        steps=tuple(steps),
    )
    return made._replace(**more)


def household(*actions: str, id: str = "ep_1", outcome: str = "success", **more: Any) -> Episode:
    steps = [step(n, "alfworld", action) for n, action in enumerate(actions, 1)]
    return episode(*steps, id=id, outcome=outcome, task_type="household", **more)


def pattern(kind: str = "sequence", **more: Any) -> Pattern:
    made = Pattern(
        id="pt_1",
        kind=kind,
        situation="Fix the lookup of users",
        advice="edit *.py, then run pytest",
        steps=("edit *.py", "run pytest"),
        context={"language": "python"},
        evidence=("ep_1",),
        successes=1,
        failures=0,
        confidence=0.38,
    )
    return made._replace(**more)


FAILED_TEST = """\
Traceback (most recent call last):
  File "/home/ada/app/users.py", line 12, in find
    return self._by_id[key]
KeyError: 'user_42'
=== 1 failed, 11 passed in 3.20s ==="""
PASSED = "=== 12 passed in 3.11s ==="


def fixed_by_an_edit(id: str = "ep_1", **more: Any) -> Episode:
    return episode(
        shell(1, "pytest tests/test_users.py", FAILED_TEST, ok=False),
        step(2, "read", "read src/users.py", "def find(key): ..."),
        edit(3, "src/users.py"),
        shell(4, "pytest tests/test_users.py", PASSED),
        id=id,
        **more,
    )
