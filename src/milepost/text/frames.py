"""Whether two short statements are of one frame, and the newer gives another value in it.

A frame is what both say in the same order: a subject and what binds a value to it (is, runs at, a
colon). They differ in one slot, and what stands there is of one type: an amount, a day, a name, a
word. Whether that makes the newer an update is told by what binds: there is one number, one day
and one place at a time, but several things that somebody likes, supports or owns. What differs in
its subject, or tells what happened once, is no update.
"""

from __future__ import annotations

import re
from functools import lru_cache

from milepost.text.claim_words import MOODS, SYNONYMS, UNITS
from milepost.text.claims import claim
from milepost.text.frame_words import (
    ACQUAINTANCES,
    ADDITIVE,
    ATTRIBUTES,
    BINDING,
    CHOSEN,
    COPULAS,
    DEFINITE,
    DETERMINERS,
    DRIVEN,
    GOING,
    HAPPENINGS,
    JOINED,
    LABELS,
    MOVED,
    NAMED,
    NOTES,
    NOW,
    OCCURRENCES,
    OPEN,
    OPPOSITES,
    ORIGINS,
    PAST,
    PEOPLE,
    PICKED,
    PLACES,
    REPEATED,
    SINCE,
    TONGUES,
    TOWARDS,
    WANTED,
    WE,
)
from milepost.text.rivals import are_rivals
from milepost.text.slots import AMOUNT, DAY, NAME, WORD, Word, kind_of, unit_of
from milepost.text.words import stem
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HAN = "\u3400-\u9fff"
_TOKEN = re.compile(
    rf"[{_HAN}]|[:：=](?=\s|$|[{_HAN}])|[dlDL]['’](?=\w)|[^\s{_HAN}：]+?(?=[:：]?(?:\s|$|[{_HAN}]))"
)
_EDGES = ".,;!?。，！？\"'“”`()[]*"
# What is added to a statement after it is complete.
_TAIL = re.compile(r"(?i)(?:[;(]|, |\s[–—-]\s|\b(?:because|weil|parce que|porque|so that)\b)")
# One sentence, with nothing said before or after it.
_SENTENCES = re.compile(r"[.!?。]\s+\S|\n\s*\S")
# What is no sentence but a program, or what one printed.
_CODE = re.compile(
    r"\w[(\[{]|[]\[{}\\|]|==|:\s*$|^\s*(?:if|for|while|return|elif|run|let|const)\b.*[:=]"
)
_LABEL_MAX, _SLOT_MAX, _STATEMENT_MAX = 5, 4, 24
_CACHED = 4_096


class _Statement(NamedTuple):
    """The words of a statement without determiners, and whether it begins with a definite one."""

    words: tuple[Word, ...]
    definite: bool
    # Whether more was said after it, and whether it says that it holds now.
    goes_on: bool
    now: bool


def value_change(old: str, new: str) -> str | None:
    """Return which value became which, if a newer statement has the frame of an older one."""
    first, second = _statement(old), _statement(new)
    if first is None or second is None or first.goes_on:
        return None
    return _another_in_slot(first, second) or _moved(first, new) or _another_tool(first, second)


def tells_an_event(text: str) -> bool:
    """Tell whether a short statement tells what happened once, and not what holds."""
    statement = _statement(text)
    return statement is not None and _happened(statement.words)


def of_two_numbers(old: str, new: str) -> bool:
    """Tell whether two statements are of two things that are told apart by a number: gate 4."""
    first, second = _statement(old), _statement(new)
    if first is None or second is None:
        return False
    mine, theirs = first.words[:3], second.words[:3]
    numbered = len(mine) == 3 and mine[1].low.isdigit() and mine[2].low not in UNITS
    return numbered and mine[0].key == theirs[0].key and mine[1].low != theirs[1].low


def holds_several(text: str) -> bool:
    """Tell whether more than one value may hold of what a short statement says."""
    statement = _statement(text)
    if statement is None:
        return False
    words = statement.words
    listed = words[-2].low in JOINED
    return listed or _adds(words) or _recurs(words) or _is_repeated(words) or _is_open(words)


def _another_in_slot(old: _Statement, new: _Statement) -> str | None:
    if [word.key for word in old.words[:1]] != [word.key for word in new.words[:1]]:
        return None  # as most are that are looked at
    keys, others = ([word.key for word in each.words] for each in (old, new))
    begin = _shared(keys, others)
    end = _shared(keys[begin:][::-1], others[begin:][::-1])
    begin, end = _whole_name(old.words, begin, end)
    mine, theirs = (each.words[begin : len(each.words) - end] for each in (old, new))
    if before_unit := _every(old.words[:begin], old.words[len(keys) - end :]):
        mine, theirs = mine or before_unit, theirs or before_unit
    if not begin or not 0 < len(mine) <= _SLOT_MAX or not 0 < len(theirs) <= _SLOT_MAX:
        return None
    before, after = old.words[:begin], old.words[len(old.words) - end :]
    # Three weeks, and twenty hours a week.
    if end and after[0].indefinite != new.words[len(others) - end].indefinite:
        return None
    if not _one_at_a_time(old, before, mine, theirs, after):
        return None
    # A unit that both have belongs to the value.
    unit = after[:1] if after and after[0].low in UNITS else ()
    written, other = (" ".join(word.written for word in (*slot, *unit)) for slot in (mine, theirs))
    if [p.key for p in claim(written).parts] == [p.key for p in claim(other).parts]:
        return None
    subject = [word.written for word in before if word.low not in COPULAS | LABELS]
    return f"{' '.join(subject)}: {written} became {other}"


def _whole_name(words: Sequence[Word], begin: int, end: int) -> tuple[int, int]:
    """Return where a name begins and ends of which one word differs: Café Linde, Café Roma."""
    if begin < len(words) - end and kind_of(words[begin : len(words) - end]) == NAME:
        while begin > 1 and words[begin - 1].written.istitle():
            begin -= 1
        while end and words[-end].written.istitle():
            end -= 1
    return begin, end


def _every(before: Sequence[Word], after: Sequence[Word]) -> tuple[Word, ...]:
    """Return the number that every week leaves out."""
    bare = before and after and before[-1].key == "every" and after[0].low in UNITS
    return (Word("single", "1", "1", indefinite=False),) if bare else ()


def _one_at_a_time(
    old: _Statement,
    before: Sequence[Word],
    mine: Sequence[Word],
    theirs: Sequence[Word],
    after: Sequence[Word],
) -> bool:
    """Whether what fills a slot excludes what filled it before."""
    if _happened(before) or not _ends_well(after, mine):
        return False
    if _recurs(old.words) or before[-1].low in JOINED:
        return False
    kinds = {kind_of(mine), kind_of(theirs)}
    if kinds == {AMOUNT}:
        same = unit_of(before, mine, after) == unit_of(before, theirs, after)
        return same and len(before) > 1 and not _adds(before)
    if kinds == {DAY}:
        told = (_is_bound(before) or mine[-1].low.endswith("s")) and not _is_open(before)
        return told and len(before) > 1 and before[-1].low not in ("for", "of", "für", "pour")
    if len(mine) == 1 == len(theirs) and OPPOSITES.get(mine[0].low) == theirs[0].low:
        return _binds(before) in (COPULAS, LABELS)
    if _binds(before) is PLACES and mine[0].definite != theirs[0].definite:
        # In Leeds, and in the old mill.
        return False
    tongues = mine[0].low in TONGUES and before[-1].low in ("in", "auf", "en")
    return not kinds & {AMOUNT, DAY, ""} and not tongues and _excludes(old, before, kinds, after)


def _recurs(words: Sequence[Word]) -> bool:
    """Whether it is told of what comes again: a meeting that one has, a bug, the train."""
    lows = [word.low for word in words[:2]]
    if lows[0] in OCCURRENCES or (lows[0].endswith("'s") and lows[-1] in OCCURRENCES):
        return True
    had = lows[-1] in ("have", "has", "habe", "haben", "hat", "ai", "tengo")
    return had and any(word.indefinite for word in words)


def _is_repeated(words: Sequence[Word]) -> bool:
    return any(word.low in REPEATED for word in words)


def _is_open(before: Sequence[Word]) -> bool:
    return any(word.low in OPEN for word in before)


def _excludes(
    old: _Statement, before: Sequence[Word], kinds: set[str], after: Sequence[Word]
) -> bool:
    """Whether a name or a word is the only one that can stand after what binds it."""
    bond = _binds(before)
    if bond is LABELS:
        return not after and _names_one(before[:-1])
    if len(kinds) > 1 or _adds(before) or any(word.indefinite for word in before):
        return False
    named = kinds == {NAME}
    if bond is COPULAS:
        several = before[-1].low in ("are", "sind", "sont", "son")
        return not several and _is_attribute(old, before[:-1], named=named)
    if bond is PLACES:
        # Somebody works with several others; what is done with something is done with that.
        person = _is_person(before[:1]) and before[0].low not in WE
        beside = person or (len(before) > 1 and before[-2].low in COPULAS)
        several = beside and before[-1].low in ("with", "mit", "avec", "con")
        origin = before[-1].low in ORIGINS and _is_bound(before)
        return (
            not several
            and not origin
            and not _is_repeated(before)
            and _is_bound(before)
            and (named or _is_there(before))
        )
    if bond is TOWARDS:
        return named and len(before) > 2 and before[-2].low in GOING
    last = before[-1].low
    if last in CHOSEN:
        purpose = bool(after) and after[0].low in ("for", "für", "pour", "para")
        return purpose or (bool(after) and _is_han(after[0].low))
    return last in NAMED or last in DRIVEN or (last in WANTED and bool(after) and not named)


def _names_one(label: Sequence[Word]) -> bool:
    """Whether there is one of what stands before a colon; one word may be of anything."""
    lows = [word.low for word in label]
    if not 0 < len(lows) <= _LABEL_MAX or NOTES & set(lows):
        return False
    if len(lows) == 1:
        return lows[0] in ATTRIBUTES and label[0].written[0].isupper()
    several = lows[-1].endswith("s") and not lows[-1].endswith("ss")
    return all(low.replace("'", "").replace("-", "").isalpha() for low in lows) and not several


def _is_attribute(old: _Statement, subject: Sequence[Word], *, named: bool) -> bool:
    """Whether something is said of what has one value: our database, the user's editor."""
    if not subject or subject[-1].low in PEOPLE | ACQUAINTANCES:
        return False
    lows = [word.low for word in subject]
    whose = any(low.endswith(("'s", "’s")) for low in lows) or "of" in lows
    if named:
        return old.definite or whose or not subject[0].written[0].isupper()
    return bool(PICKED & set(lows)) or lows[-1] in ATTRIBUTES


def _is_there(before: Sequence[Word]) -> bool:
    """Whether what is told is where something is, or what is done to it."""
    verb, place = before[-2].low, before[-1].low
    if place in ("as", "als"):
        return True
    if verb in COPULAS:
        return place in ("in", "at", "under", "im", "à", "dans", "en", "在")
    passive = len(before) > 2 and any(word.low in COPULAS for word in before[:-2])
    return passive or stem(verb) in ("live", "liv", "meet", "lie", "sit") or before[-1].low == "在"


def _is_bound(before: Sequence[Word]) -> bool:
    """Whether a verb stands between a subject and what is told of it, and not a noun alone."""
    if _binds(before) in (LABELS, COPULAS) or any(word.low in COPULAS for word in before):
        return True
    if len(before) < 3 and not _is_han(before[0].low):
        return False
    verb, subject = before[-2].low, before[-3].low if len(before) > 2 else ""
    if verb.endswith(HAPPENINGS):
        return False
    plural = subject.endswith("s") or subject in WE
    return plural or verb.endswith(("s", "t", "e", "en")) or not verb.isascii() or _is_han(verb)


def _is_han(word: str) -> bool:
    return bool(word) and word[0] >= "\u3400"


def _binds(before: Sequence[Word]) -> frozenset[str]:
    """Return the words to which what binds a value belongs."""
    last = before[-1].low
    return next((w for w in (LABELS, COPULAS, PLACES, TOWARDS) if last in w), frozenset())


def _adds(before: Sequence[Word]) -> bool:
    return any(word.low in ADDITIVE for word in before)


def _ends_well(after: Sequence[Word], slot: Sequence[Word]) -> bool:
    """Whether what follows a value belongs to it, and tells nothing of it: no verb."""
    if not after or _is_han(after[0].low):
        return True
    if any(word.low in COPULAS for word in after):
        return False
    if after[0].low in BINDING or kind_of(slot) == WORD:
        return len(after) < 2 or after[0].low in BINDING
    return kind_of(slot) == AMOUNT and (len(after) < 2 or after[1].low in BINDING)


def _happened(before: Sequence[Word]) -> bool:
    """Whether it is told what somebody did once."""
    if any(MOODS.get(word.low) == "past" for word in before):
        return True
    if any(word.low in COPULAS for word in before) or before[-1].low in LABELS:
        return False
    return any(_is_past(word.low) for word in before)


def _is_past(low: str) -> bool:
    if not low.isascii() or not low.isalpha() or len(low) < 3:
        return False
    if low.endswith("ed"):
        return stem(low) != low and not low.endswith("eed")
    # Forms that no ending gives away: took, went.
    root = stem(low)
    bent = not low.startswith(root.rstrip("eiy")[:-1] or root)
    return low in PAST or (bent and low not in PEOPLE)


def _moved(old: _Statement, new: str) -> str | None:
    """Return where who or what the older says is somewhere is now, if the newer says it moved."""
    match = MOVED.match(new.strip())
    if match is None or _happened(old.words) or _adds(old.words):
        return None
    groups = match.groupdict()
    who = _words(groups["who"] or groups["who3"])
    where = (groups["where"] or groups["where2"] or groups["where3"]).rstrip(_EDGES)
    subject, rest = old.words[: len(who)], old.words[len(who) :]
    if not rest or [word.key for word in subject] != [word.key for word in who]:
        return None
    place = next((at for at, word in enumerate(rest) if word.low in PLACES), None)
    if rest[0].low in CHOSEN and len(rest) > 1 and are_rivals(rest[-1].low, where.lower()):
        place = len(rest) - 2
    if place is None or place > 2 or len(rest) - place - 1 not in range(1, _SLOT_MAX + 1):
        return None
    if _is_person(subject) and not _lives(rest[: place + 1]) and rest[0].low not in CHOSEN:
        return None
    was = " ".join(word.written for word in rest[place + 1 :])
    name = " ".join(word.written for word in subject)
    return None if was.lower() == where.lower() else f"{name}: {was} became {where}"


def _another_tool(old: _Statement, new: _Statement) -> str | None:
    """Return which tool took the place of its rival: we use yarn, we use pnpm now."""
    if len(old.words) != 3 or len(new.words) != 3 or not new.now or old.words[1].low not in CHOSEN:
        return None
    (who, uses, was), (other, also, became) = old.words, new.words
    same = (who.key, uses.key) == (other.key, also.key) and are_rivals(was.low, became.low)
    return f"{who.written} {uses.written}: {was.written} became {became.written}" if same else None


def _is_person(subject: Sequence[Word]) -> bool:
    return subject[-1].low in PEOPLE or (subject[-1].written.istitle() and len(subject) == 1)


def _lives(words: Sequence[Word]) -> bool:
    return any(
        word.low
        in ("live", "lives", "resides", "based", "wohnt", "lebt", "habite", "vit", "vive", "住")
        or word.low in COPULAS
        for word in words
    )


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@lru_cache(_CACHED)
def _statement(text: str) -> _Statement | None:
    """Return the words of a text that is one short statement."""
    said = SINCE.sub(" ", text.strip())
    tail = _TAIL.search(said)
    said = said[: tail.start()] if tail else said
    if _SENTENCES.search(text.strip()) or _CODE.search(text) or not said.strip():
        return None
    begins = said.split(maxsplit=1)[0].lower()
    words = _words(said)
    if not 1 < len(words) <= _STATEMENT_MAX or not words[0].low[0].isalpha():
        return None
    now = said != text.strip() and tail is None
    now = now or not NOW.isdisjoint(word.strip(_EDGES).casefold() for word in said.split())
    return _Statement(words, begins in DEFINITE, tail is not None, now)


def _words(text: str) -> tuple[Word, ...]:
    found, indefinite, definite = [], False, False
    for token in _TOKEN.findall(text):
        written = token if token in LABELS else token.strip(_EDGES)
        low = written.casefold().replace("’", "'")
        if not low or low in NOW or low in "-*•":
            continue
        if low in DETERMINERS or low == "d'":
            definite, indefinite = low in DEFINITE, low not in DEFINITE
            continue
        key = stem(low) if low.isascii() and low.isalpha() else low
        key = SYNONYMS.get(low) or SYNONYMS.get(key, key)
        found.append(Word(key, low, written, indefinite, definite))
        indefinite = definite = False
    return tuple(found)
