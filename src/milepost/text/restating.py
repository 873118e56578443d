"""Whether two texts say the same in other words.

Precision first: to join what differs in a number, a name, a "not" or an "only" loses a fact. Every
word that carries meaning must stand in both, in whatever form; what was put in another order must
have moved as one piece, for two things that changed places are another claim.
"""

from __future__ import annotations

from collections import Counter

from milepost.text.claim_words import UNRELATED
from milepost.text.claims import CHARACTERS_MAX, LIGHT_WORD, MOOD, Claim, Part, claim, is_value
from milepost.text.sameness import is_the_same, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What is less alike than this was never found to be the same.
_LIKENESS = 0.5
_BEGINNING = 5
# Endings by which one word is made from another.
_ENDINGS = frozenset(
    "e s es ed er ers or ors ing ion ions ation ations ment ments ance ence al ic y ies able"
    " t en st te ten ung ungen erung ción ción".split()
) | {""}
# What is few words may be another thing in another order.
_TURNED_MIN = 3
_WORDS_MIN = 2
# Moods that hold for a whole text, wherever they stand.
_ANYWHERE = frozenset({"past", "ought", "will", "ask", "too"})
# A word that was misspelt is so long.
_TYPO_MIN = 6
# Two of these would stand for opposite ways.
_WAYS = frozenset({"→", "from", "after", "von", "nach", "zu"})


def restates(one: str, other: str, likeness: float) -> bool:
    """Tell whether two texts of some likeness say the same, neither more nor less."""
    if is_the_same(said(one), said(other)):
        return True
    if likeness < _LIKENESS or max(len(one), len(other)) > CHARACTERS_MAX:
        return False
    first, second = claim(one), claim(other)
    return first.moods == second.moods and _are_one(first, second)


def _are_one(one: Claim, other: Claim) -> bool:
    parts, others = (
        [p for p in each.parts if p.kind != LIGHT_WORD and p.key not in _ANYWHERE]
        for each in (one, other)
    )
    if len(parts) < len(others):
        parts, others = others, parts
    passive = len(parts) == len(others) + 1 and "by" in (keys := [part.key for part in parts])
    doer = keys.index("by") if passive else None
    if passive:
        del parts[keys.index("by")]
    if len(parts) != len(others) or len(parts) < _WORDS_MIN or not _ways_agree(one, other):
        return False
    names = _named_alike(parts, others)
    if names is None:
        return False
    keys = [part.key for part in parts]
    return _in_order(keys, names, parts) if doer is None else _by(keys[:doer], keys[doer:], names)


def _by(done: list[str], doer: list[str], others: list[str]) -> bool:
    """Whether others tell who does what, where one tells what is done by whom."""
    return any(
        others == doer[:end] + done[turn:] + done[:turn] + doer[end:]
        for end in range(1, len(doer) + 1)
        for turn in range(len(done))
    )


def _ways_agree(one: Claim, other: Claim) -> bool:
    """Whether no text says from where the other says to."""
    ways, others = ({p.key for p in each.parts} & _WAYS for each in (one, other))
    return ways <= others or others <= ways


def _named_alike(parts: Sequence[Part], others: Sequence[Part]) -> list[str] | None:
    """Return the others by the keys of the parts that they are the same as; None if one is not."""
    left = Counter((part.kind, part.key) for part in parts)
    names: list[str | None] = []
    for part in others:
        known = (part.kind, part.key)
        names.append(part.key if left[known] > 0 else None)
        left[known] -= left[known] > 0
    rest = [part for part in parts if left[part.kind, part.key] > 0]
    for place, name in enumerate(names):
        if name is None:
            same = next((part for part in rest if is_form(part, others[place])), None)
            if same is None:
                return None
            rest.remove(same)
            names[place] = same.key
    return [name for name in names if name is not None]


def is_form(part: Part, other: Part) -> bool:
    """Whether two words are forms of one, or one is the other misspelt."""
    if MOOD in (part.kind, other.kind) or is_value(part) or is_value(other):
        return False
    one, two = part.written.casefold(), other.written.casefold()
    if not (one.isalpha() and two.isalpha()):
        return False
    shared = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    shared = min(len(one), len(two)) if shared is None else shared
    made = {one[shared:], two[shared:]} <= _ENDINGS and one[:shared] not in UNRELATED
    return (shared >= _BEGINNING and made) or _is_misspelt(one, two, shared)


def _is_misspelt(one: str, two: str, shared: int) -> bool:
    """Whether one letter inside a word is missing from the other."""
    short, long = sorted((one, two), key=len)
    within = 0 < shared < len(short) and len(short) >= _TYPO_MIN
    return within and len(long) == len(short) + 1 and long[shared + 1 :] == short[shared:]


def _in_order(keys: list[str], others: list[str], parts: Sequence[Part]) -> bool:
    """Whether the order is the same but for one piece, and what turns a claim turns the same."""
    if keys == others:
        return True
    if len(keys) < _TURNED_MIN:
        return False
    begin = next(i for i, (a, b) in enumerate(zip(keys, others, strict=True)) if a != b)
    end = len(keys) - next(
        i for i, (a, b) in enumerate(zip(keys[::-1], others[::-1], strict=True)) if a != b
    )
    inner, moved = keys[begin:end], others[begin:end]
    turned = any(inner[i:] + inner[:i] == moved for i in range(1, len(inner)))
    values = [part.key for part in parts if is_value(part)]
    kept = [key for key in others if key in values] == values
    return turned and kept and _turn_the_same(keys, others, parts)


def _turn_the_same(keys: list[str], others: list[str], parts: Sequence[Part]) -> bool:
    """Whether after each word that turns a claim the same word follows."""
    turning = {part.key for part in parts if part.kind == MOOD}

    def followers(row: list[str]) -> Counter[tuple[str, str]]:
        pairs = zip(row, [*row[1:], ""], strict=True)
        return Counter((a, b) for a, b in pairs if a in turning)

    return followers(keys) == followers(others)
