"""Take in what callers say of episodes and their steps, and refuse what is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

from milepost.errors import InvalidInput
from milepost.experience.values import OPEN, OUTCOMES, Step
from milepost.memory import validation
from milepost.memory.validation import Intake

TASK_CHARS = 4_000
ACTION_CHARS = 4_000
VERDICT_CHARS = 10_000
# Of what a tool said, the beginning and the end are kept: what it is and how it ended.
OBSERVATION_CHARS = 20_000
ARTIFACTS_MAX = 100
STEP_FIELDS = ("tool", "action", "parameters", "observation", "success", "latency_ms", "tokens",
               "number")  # fmt: skip


def step_fields(given: object) -> Mapping[str, Any]:
    """Return what was given of one of many steps."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a step must be a mapping, not {type(given).__name__}.")
    unknown = [str(name) for name in given if name not in STEP_FIELDS]
    if unknown:
        raise InvalidInput(
            f"a step has no field {unknown[0]!r}; the fields are {', '.join(STEP_FIELDS)}."
        )
    return given


def step(intake: Intake, given: Mapping[str, Any], now_s: float) -> Step:
    """Return a step as it is written down."""
    number, tokens = given.get("number"), given.get("tokens")
    return Step(
        number=0 if number is None else validation.whole("number", number, 1, 1_000_000_000),
        tool=intake.name("tool", given.get("tool")),
        action=intake.text("action", given.get("action"), ACTION_CHARS),
        parameters=intake.metadata(given.get("parameters"), "parameters"),
        observation=_observation(intake, given.get("observation")),
        success=validation.flag("success", given.get("success", True)),
        latency_ms=_latency(given.get("latency_ms")),
        tokens=None if tokens is None else validation.whole("tokens", tokens, 0, 1 << 40),
        at=now_s,
    )


def _observation(intake: Intake, given: object) -> str:
    if given is None or given == "":
        return ""
    if isinstance(given, str) and len(given) > OBSERVATION_CHARS:
        head, tail = intake.ends("observation", given, OBSERVATION_CHARS // 2)
        left_out = f"\n… ({len(given) - len(head) - len(tail):,} characters left out) …\n"
        given = head + left_out + tail
    return intake.text("observation", given, 2 * OBSERVATION_CHARS)


def _latency(given: object) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < 1e12:
        raise InvalidInput(f"latency_ms must be a number from 0 on, not {given!r}.")
    return float(given)


def outcome(given: object, *, or_open: bool = False) -> str:
    """Return how an episode ended, or that it has not."""
    if or_open and given == OPEN:
        return OPEN
    if given not in OUTCOMES:
        raise InvalidInput(f"outcome must be one of {', '.join(OUTCOMES)}, not {given!r}.")
    return str(given)


def verdict(intake: Intake, given: object) -> str:
    """Return why an episode ended so, or nothing."""
    return "" if given == "" else intake.text("verdict", given, VERDICT_CHARS)


def artifacts(intake: Intake, given: object) -> tuple[str, ...]:
    """Return what came of an episode."""
    if given is None:
        return ()
    if isinstance(given, str):
        given = given.split(",")
    if isinstance(given, Mapping | bytes) or not isinstance(given, Iterable):
        raise InvalidInput("artifacts must be a string or a list of strings.")
    names = tuple(intake.text("an artifact", one, 1_000) for one in given)
    if len(names) > ARTIFACTS_MAX:
        raise InvalidInput(f"name at most {ARTIFACTS_MAX} artifacts, not {len(names)}.")
    return names
