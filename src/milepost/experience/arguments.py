"""Take in what callers say of episodes and their steps, and refuse what is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

from milepost.errors import InvalidInput
from milepost.experience.values import COMPLEXITIES, OPEN, OUTCOMES, Step
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


def step_fields(fields: object) -> Mapping[str, Any]:
    """Return what was given of one of many steps."""
    if not isinstance(fields, Mapping):
        raise InvalidInput(f"a step must be a mapping, not {type(fields).__name__}.")
    unknown = [str(name) for name in fields if name not in STEP_FIELDS]
    if unknown:
        raise InvalidInput(
            f"a step has no field {unknown[0]!r}; the fields are {', '.join(STEP_FIELDS)}."
        )
    return fields


def step(intake: Intake, fields: Mapping[str, Any], now_s: float) -> Step:
    """Return a step as it is written down."""
    number, tokens = fields.get("number"), fields.get("tokens")
    return Step(
        number=0 if number is None else validation.whole("number", number, 1, 1_000_000_000),
        tool=intake.name("tool", fields.get("tool")),
        action=intake.text("action", fields.get("action"), ACTION_CHARS),
        parameters=intake.metadata(fields.get("parameters"), "parameters"),
        observation=_observation(intake, fields.get("observation")),
        success=validation.flag("success", fields.get("success", True)),
        latency_ms=_latency(fields.get("latency_ms")),
        tokens=None if tokens is None else validation.whole("tokens", tokens, 0, 1 << 40),
        at=now_s,
    )


def _observation(intake: Intake, text: object) -> str:
    if text is None or text == "":
        return ""
    if isinstance(text, str) and len(text) > OBSERVATION_CHARS:
        head, tail = intake.ends("observation", text, OBSERVATION_CHARS // 2)
        left_out = f"\n… ({len(text) - len(head) - len(tail):,} characters left out) …\n"
        text = head + left_out + tail
    return intake.text("observation", text, 2 * OBSERVATION_CHARS)


def _latency(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise InvalidInput(f"latency_ms must be a number from 0 on, not {value!r}.")
    return float(value)


def place(intake: Intake, value: object) -> Mapping[str, Any]:
    """Return where an episode takes place; how complex it is, is said in known words."""
    about = intake.metadata(value, "context")
    said = about.get("complexity")
    if said is not None and not _is_complexity(said):
        named = ", ".join(COMPLEXITIES)
        raise InvalidInput(f"complexity must be one of {named}, or from 0 to 10, not {said!r}.")
    return about


def _is_complexity(value: object) -> bool:
    if isinstance(value, str):
        return value.lower() in COMPLEXITIES
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= 10  # type: ignore[operator]


def outcome(value: object, *, or_open: bool = False) -> str:
    """Return how an episode ended, or that it has not."""
    if or_open and value == OPEN:
        return OPEN
    if value not in OUTCOMES:
        raise InvalidInput(f"outcome must be one of {', '.join(OUTCOMES)}, not {value!r}.")
    return str(value)


def verdict(intake: Intake, text: object) -> str:
    """Return why an episode ended so, or nothing."""
    return "" if text == "" else intake.text("verdict", text, VERDICT_CHARS)


def artifacts(intake: Intake, value: object) -> tuple[str, ...]:
    """Return what came of an episode."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Mapping | bytes) or not isinstance(value, Iterable):
        raise InvalidInput("artifacts must be a string or a list of strings.")
    names = tuple(intake.text("an artifact", one, 1_000) for one in value)
    if len(names) > ARTIFACTS_MAX:
        raise InvalidInput(f"name at most {ARTIFACTS_MAX} artifacts, not {len(names)}.")
    return names
