"""Whether a newer text gives another value to what an older one says.

Either it says what it is against or what is gone, and the older one says just that; or both give a
value to the same subject, and not the same value. What only might be, was before, holds besides or
holds elsewhere changes nothing.
"""

from __future__ import annotations

from functools import lru_cache

from milepost.text.claims import (
    NAME,
    NUMBER,
    WORD,
    Part,
    claim,
    is_value,
)
from milepost.text.frame_words import SINCE
from milepost.text.frames import holds_several, of_two_numbers, tells_an_event, value_change
from milepost.text.overturning import is_against_something, may_overturn, overturns, says
from milepost.text.update_words import (
    BEGINS,
    BESIDE,
    CHANGES,
    CLAUSE,
    ENVIRONMENTS,
    GONE,
    HAPPENED,
    LEAVING,
    LEFT,
    NUMBERED,
    OF,
    REASON,
    ROLE,
    SINGLE,
    STATES,
    TO,
)
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What is less alike than this speaks of two things, unless the newer says what it is against.
_LIKENESS, _LIKENESS_AGAINST = 0.4, 0.2
# What is longer says many things, of which one may have changed.
_OLD_MAX, _NEW_MAX = 200, 300
_CACHED = 8_192
# A first look: so many of the words of the older the newer has too.
_SHARED, _SHARED_AGAINST = 0.25, 0.34
# So much of what the older says beside its value the newer must say, if it says that it changes
# something and if it does not.
_COVERED_CHANGING, _COVERED = 0.5, 0.6
# What the newer may say before its value that the older does not, where it announces no change.
_EXTRA = 1
# A value that is no number is so many words at most, of a subject of so many at least.
_VALUE_WORDS, _SUBJECT_WORDS, _FRESH = 3, 2, 6
_WRITTEN_CHARS, _CHANGE_CHARS = 60, 120
# Moods of what does not simply hold.
_UNSURE = frozenset({"may", "if", "unless", "ask", "too", "will", "only", "should"})
# Moods that make another claim of one frame.
_TURNING = _UNSURE | {"not", "never", "must"}
# Moods that keep a newer text from changing anything, and an older one from being changed.
_UNSAID, _UNASKED = frozenset({"may", "if", "unless", "ask", "will"}), frozenset({"if", "ask"})
# Endings by which one word is made from another that begins alike.
_BEGINNING = 5
_ENDINGS = frozenset(
    "e s es ed er ers or ors ing ion ions ation ations ment ments al ic y ies t en te ten ung ungen"
    " ción".split()
) | {""}


class _Told(NamedTuple):
    """What is known of a text before it is compared: its words and values, what it announces."""

    parts: tuple[Part, ...]
    about: tuple[Part, ...]
    values: tuple[Part, ...]
    keys: frozenset[str]
    moods: frozenset[str]
    # Whether it tells only what happened, or says what holds, of which there may be more, and
    # that something changes.
    happened: bool
    several: bool
    states: bool
    changing: bool


def update_of(old: str, new: str, likeness: float, *, surely: bool = False) -> str | None:
    """Return what changed, in words; None where both may hold.

    surely: leave out what one frame alone tells, of which one in twelve is none.
    """
    if len(old) > _OLD_MAX or len(new) > _NEW_MAX or "\n" in old.strip():
        return None
    if not _may_tell(old, new, likeness, surely=surely):
        return None
    first, second = _told(old), _told(new)
    if first.happened or _UNSAID & second.moods or _UNASKED & first.moods:
        return None
    if of_two_numbers(old, new):
        return None
    # What has the frame of the other speaks of the same, however little alike the values are.
    change = None if surely else _in_frame(first, old, second, new)
    if change is not None or likeness < _LIKENESS_AGAINST:
        return change
    if not _shares(old, new):
        return None
    if _is_against(new) and _is_gone(first, old, second, new):
        return f"{_clip(old)} → {_clip(new)}"
    if likeness < _LIKENESS or not first.states or first.several:
        return None
    if not _may_differ(first, second):
        return None
    return (
        _another_value(first, second, new)
        or _another_word(first, old, second, new)
        or _another_holder(first, old, second, new)
        or _turned(first, old, second, new)
    )


def _may_tell(old: str, new: str, likeness: float, *, surely: bool) -> bool:
    """Whether two texts may be of one matter: to read them closely costs the most."""
    if not surely and value_change(old, new) is not None:
        return True
    return likeness >= _LIKENESS_AGAINST and _shares(old, new)


def _shares(old: str, new: str) -> bool:
    """Whether the newer speaks of most that the older speaks of."""
    keys = _keys(old)
    return len(keys & _keys(new)) >= _SHARED * len(keys)


def _in_frame(old: _Told, before: str, new: _Told, after: str) -> str | None:
    """Return which value became another in statements of one frame."""
    if (old.moods ^ new.moods) & _TURNING or not _may_differ(old, new):
        return None
    change = value_change(before, after)
    # Since last week tells from when on, and not of another time.
    if change is None or (BESIDE.search(SINCE.sub(" ", after)) and not BESIDE.search(before)):
        return None
    return _clip(change, _CHANGE_CHARS)


def may_change(new: str) -> bool:
    """Tell whether a text is such that it can give another value to anything."""
    return len(new) <= _NEW_MAX and not _UNSAID & claim(new).moods


@lru_cache(_CACHED)
def _keys(text: str) -> frozenset[str]:
    return frozenset(part.key for part in _tell(claim(text).parts))


@lru_cache(_CACHED)
def _told(text: str) -> _Told:
    parts, moods = claim(text)
    about = tuple(_tell(parts))
    return _Told(
        parts,
        about,
        tuple(filter(is_value, parts)),
        _keys(text),
        moods,
        HAPPENED.match(text) is not None or tells_an_event(text),
        holds_several(text),
        STATES.search(text) is not None,
        CHANGES.search(text) is not None,
    )


@lru_cache(_CACHED)
def _is_against(text: str) -> bool:
    return LEFT.search(text) is not None or is_against_something(text)


def _may_differ(old: _Told, new: _Told) -> bool:
    """Whether the newer says what holds, and where the older does."""
    if not new.changing and "past" in new.moods - old.moods:
        return False
    mine, others = old.keys & ENVIRONMENTS, new.keys & ENVIRONMENTS
    return not (mine and others - mine)


@lru_cache(_CACHED)
def _clause(text: str, place: int) -> str:
    """Return the clause of a text that stands at a place."""
    begin = max((m.end() for m in CLAUSE.finditer(text, 0, place)), default=0)
    end = CLAUSE.search(text, place)
    return text[begin : end.end() if end else len(text)]


def _holds(text: str, place: int) -> bool:
    """Whether the clause at a place says what holds now, and in place of something."""
    clause = _clause(text, place)
    return not BESIDE.search(clause) and not claim(clause).moods & _UNSURE


def _is_gone(old: _Told, before: str, new: _Told, after: str) -> bool:
    """Whether the newer is against what the older says, or says of a name that it is gone."""
    if BESIDE.search(_clause(after, 0)):
        return False
    # One word is soon shared: who only mentions it is against something else.
    shared = len(old.keys & new.keys) >= _SHARED_AGAINST * len(old.keys)
    if shared and overturns(after, before, changes=False):
        return True
    return may_overturn(after, before) or _name_gone(old, before, new, after)


def _name_gone(old: _Told, before: str, new: _Told, after: str) -> bool:
    known = {part.key: part for part in old.about}
    for part in new.about:
        if part.key not in known or not _is_name(part, after):
            continue
        left = _leaves(part, after) and not _leaves(known[part.key], before)
        if left and says(before, [part.key]):
            return True
    return False


def _leaves(part: Part, text: str) -> bool:
    return bool(GONE.match(text[part.end :]) or LEAVING.search(text[: part.start]))


def _is_name(part: Part, text: str) -> bool:
    """Whether a part names one thing: an identifier, or a capital inside a sentence."""
    begins = BEGINS.search(text[: part.start]) is not None
    return part.kind == NAME or (text[part.start].isupper() and not begins)


def _another_value(old: _Told, new: _Told, text: str) -> str | None:
    """Return how the one value of its kind became another, about the same subject."""
    if not new.changing and _differ_twice(old, new):
        return None
    for part in old.values:
        others = [other for other in new.values if other.kind == part.kind]
        alone = sum(each.kind == part.kind for each in old.values) == 1
        if not alone or not others or part.key in {other.key for other in others}:
            continue
        other = others[0]
        if not _one_measure(old, part, new, other) or NUMBERED.match(text, other.end):
            continue
        if _changed_to(old, new, other, text) or _one_subject(old, part, new, other, text):
            subject = " ".join(each.written for each in old.about)
            return f"{_clip(subject)}: {part.written} became {other.written}"
    return None


def _differ_twice(old: _Told, new: _Told) -> bool:
    """Whether values of two kinds differ: the invoice of another month has another amount."""
    mine, others = ({part.kind: part.key for part in told.values} for told in (old, new))
    return sum(others.get(kind, key) != key for kind, key in mine.items()) > 1


def _changed_to(old: _Told, new: _Told, value: Part, text: str) -> bool:
    """Whether the newer says that something the older names was changed to a value."""
    if not new.changing or not TO.search(text[: value.start]) or not _holds(text, value.start):
        return False
    named = [part for part in new.about if part.kind == NAME or _is_name(part, text)]
    strange = [part for part in named if part.end <= value.start and part.key not in old.keys]
    return not strange and CHANGES.search(_clause(text, value.start)) is not None


def _one_measure(old: _Told, part: Part, new: _Told, other: Part) -> bool:
    """Whether two numbers count the same thing, or belong to the same name."""
    return part.kind != NUMBER or bool(_beside(old, part) & _beside(new, other))


def _beside(told: _Told, part: Part) -> set[str]:
    place = told.parts.index(part)
    near = told.parts[max(place - 1, 0) : place] + told.parts[place + 1 : place + 2]
    # A single character is no word.
    return {each.key for each in _tell(near) if len(each.key) > 1}


def _one_subject(old: _Told, old_value: Part, new: _Told, value: Part, text: str) -> bool:
    """Whether what stands beside two values is the same, as far as that can be seen."""
    about = _subject(old, old_value)
    shared = [part for part in about if _is_among(part, new.about)]
    least = _COVERED_CHANGING if new.changing else _COVERED
    if not shared or shared[0] is not about[0] or len(shared) < least * len(about):
        return False
    missing = [part for part in about if part not in shared]
    if any(part.kind == NAME or part.written[0].isupper() for part in missing):
        return False
    fresh = _fresh(new, old)
    ahead = [part for part in fresh if part.end <= value.start]
    if any(_is_name(part, text) for part in ahead) or not _holds(text, value.start):
        return False
    if new.changing:
        return True
    # Who announces no change says all that the older says, and adds no more than a reason.
    same = not ahead and all(_is_among(part, new.about) for part in old.about)
    return same and (not fresh or REASON.match(text[value.end :]) is not None)


def _subject(told: _Told, value: Part) -> tuple[Part, ...]:
    """Return the words that say of what a value is: those before it, if they are enough."""
    before = tuple(part for part in told.about if part.start < value.start)
    return before if len(before) >= _SUBJECT_WORDS else told.about


def _fresh(new: _Told, old: _Told) -> list[Part]:
    """Return the words of the newer that the older does not have, but for those of change."""
    return [
        part
        for part in new.about
        if not _is_among(part, old.about) and not CHANGES.fullmatch(part.written)
    ]


def _another_word(old: _Told, before: str, new: _Told, after: str) -> str | None:
    """Return how what is no number became another: the subject is the same, the end differs."""
    if old.moods ^ new.moods:
        return None
    about, others = _stated(old), _stated(new)
    missing = [part for part in about if not _is_among(part, others)]
    fresh = [part for part in others if not _is_among(part, about)]
    shared = len(about) - len(missing)
    if not missing or not fresh or missing != about[-len(missing) :]:
        return None
    if shared < _SUBJECT_WORDS or len(missing) > _VALUE_WORDS:
        return None
    binding = SINGLE.search(before[: missing[0].start])
    if binding is None or OF.search(before, binding.end(), missing[0].start):
        return None
    if not _holds(after, fresh[0].start):
        return None
    least = _COVERED_CHANGING if new.changing else _COVERED
    first = max(_start(part) for part in others if _is_among(part, about))
    if shared < least * len(about) or not _is_among(others[0], about) or len(fresh) > _FRESH:
        return None
    if first > _start(fresh[0]):
        return None
    return f"{_span(before, missing)} became {_span(after, fresh)}"


def _stated(told: _Told) -> list[Part]:
    """Return the words and values of a text in order, but for those of change."""
    parts = [part for part in told.about if not CHANGES.fullmatch(part.written)]
    return sorted((*parts, *told.values), key=_start)


def _another_holder(old: _Told, before: str, new: _Told, after: str) -> str | None:
    """Return who does now what somebody else did."""
    mine, others = old.about, new.about
    same = len(mine) > _SUBJECT_WORDS and all(_is_among(part, others) for part in mine[1:])
    if not same or _is_among(mine[0], others) or _is_among(others[0], mine):
        return None
    named = before[mine[0].start].isupper() and after[others[0].start].isupper()
    if not named or not ROLE.match(before[mine[0].end :]) or not _holds(after, 0):
        return None
    return f"{mine[0].written} became {others[0].written}"


def _turned(old: _Told, before: str, new: _Told, after: str) -> str | None:
    """Return what became of a claim of which the newer says the contrary."""
    if old.moods ^ new.moods != {"not"} or len(old.about) < _SUBJECT_WORDS:
        return None
    if [part.key for part in old.values] != [part.key for part in new.values]:
        return None
    same = all(_is_among(part, new.about) for part in old.about)
    fresh = sum(not _is_among(part, old.about) for part in new.about)
    return f"{_clip(before)} → {_clip(after)}" if same and fresh <= _EXTRA else None


def _is_among(part: Part, others: Sequence[Part]) -> bool:
    return any(part.key == other.key or _is_form(part.written, other.written) for other in others)


def _is_form(one: str, other: str) -> bool:
    """Whether two words are made from one: migrate, migration."""
    if one[:_BEGINNING].lower() != other[:_BEGINNING].lower():
        return False
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    shared = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    return shared >= _BEGINNING and {short[shared:], long[shared:]} <= _ENDINGS


def _tell(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the words of parts that carry meaning."""
    return (p for p in parts if p.kind in (WORD, NAME))


def _start(part: Part) -> int:
    return part.start


def _span(text: str, parts: Sequence[Part]) -> str:
    return _clip(text[parts[0].start : parts[-1].end])


def _clip(text: str, most: int = _WRITTEN_CHARS) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
