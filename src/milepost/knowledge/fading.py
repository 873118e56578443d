"""How a memory stands after some time: what is old and was never of use fades, logs are archived.

What a user decided, prefers or asked to be remembered holds until something replaces it.
"""

from milepost.memory.values import ACTIVE, ARCHIVED, FADED

# After so many days what is of a kind is worth half as much, unless it was of use.
_HALF_LIVES = {"change": 30, "commit": 30, "summary": 45, "error": 150, "insight": 240}
_OTHER, _STATED = 180, 900
_LASTING = frozenset({"decision", "preference", "remembered", "requirement", "rule", "convention"})
_FADED, _ARCHIVED = 0.25, 0.06
_LINKED = 1.5


def standing(
    kind: str, tags: tuple[str, ...], source: str, age_days: float, uses: int, *, linked: bool
) -> int:
    """Return how a memory stands: by its kind, age, use, and whether others hang on it."""
    if _LASTING & {kind, *tags}:
        return ACTIVE
    usual = _STATED if source == "user" else _OTHER
    half_life = _HALF_LIVES.get(kind, usual) * (1 + uses) * (_LINKED if linked else 1.0)
    worth = 0.5 ** (max(age_days, 0.0) / half_life)
    if worth < _ARCHIVED and source != "user":
        return ARCHIVED
    return FADED if worth < _FADED else ACTIVE
