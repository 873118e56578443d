"""Cut a sentence into clauses: where no mark ends a question, talk that goes on ends it."""

from __future__ import annotations

from milepost.text.asking_words import (
    AFTER_HOW,
    AFTER_WEAK,
    AUXILIARIES,
    EMPTY,
    EMPTY_CHARACTERS,
    FRAMES,
    GOING_ON,
    JOINING,
    LEADING,
    MINE,
    NOT_ASKED,
    PREPOSITIONS,
    QUESTION_WORDS,
    QUESTION_WORDS_ABROAD,
    REASONS,
    SUBJECTS,
    TALK_VERBS,
    TALKERS,
    TELLING,
    UNSPACED,
    UNSPACED_FRAMES,
    WEAK,
)
from milepost.text.expressions import lazy
from milepost.text.words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# So many words belong to a question that has begun.
_REACH = 4
_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*")
_EDGES = " ,;-–—.("
_SET_OFF = frozenset(",;:-–—.(")
_UNSPACED_END = lazy(rf"(?<=[，,；;：])|\w*(?:{UNSPACED_FRAMES})")
_DID = frozenset(("did", "does"))
_OF_WHICH = frozenset("what which whom whose".split())
# Verbs that ask before a name as well.
_INVERTED = frozenset("does did will can is are".split())
# What is ordered after "do" and "have".
_ORDERED = frozenset("a an the this that it".split())


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without apostrophes."""
    return [word.replace("'", "").replace("’", "") for word in _WORD.findall(text.lower())]


def content(words: Sequence[str]) -> float:
    """Return how many words tell what a question is about."""
    count = 0.0
    for word in words:
        if word >= "\u3040" and word[0] <= "\u9fff":
            count += sum(character not in EMPTY_CHARACTERS for character in word) / 2
        elif len(word) > 1 or word.isdigit():
            count += not (word in STOP_WORDS or word in EMPTY or word in QUESTION_WORDS)
    return count


def unspaced(text: str) -> int:
    """Return how many characters are of scripts that are written without spaces."""
    return sum("\u3040" <= character <= "\u9fff" for character in text)


def clauses(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence."""
    if not sentence.isascii() and unspaced(sentence) * 2 > len(sentence):
        yield from _unspaced_clauses(sentence)
        return
    spans = [match.span() for match in _WORD.finditer(sentence)]
    begun = 0
    for place in _starts(words_of(sentence), _set_off(sentence, spans)):
        yield sentence[begun : spans[place][0]].strip(_EDGES)
        begun = spans[place][0]
    yield sentence[begun:]


def _unspaced_clauses(sentence: str) -> Iterator[str]:
    """Yield clauses, each that asks together with the one before unless that speaks of oneself."""
    before = ""
    for clause in _UNSPACED_END.split(sentence):
        if any(sign in clause for sign in UNSPACED):
            yield before + clause
            before = ""
        else:
            yield before
            before = clause
            if "我" in clause:
                yield clause
                before = ""
    yield before


def _set_off(sentence: str, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """Return of each word whether a comma, a dash or a capital sets it off."""
    found, end = [], 0
    for start, after in spans:
        gap = sentence[end:start]
        if sentence[start : start + 2] in ("i'", "I'", "i’", "I’"):
            found.append(True)
        elif gap == " ":
            found.append(sentence[start].isupper() and sentence[start + 1 : start + 2].islower())
        else:
            found.append(not end or (" " in gap and not _SET_OFF.isdisjoint(gap)))
        end = after
    return found


def _starts(words: Sequence[str], set_off: Sequence[bool]) -> Iterator[int]:
    """Yield where clauses begin, but for the first."""
    begun, framed, asked = 0, -1, None
    for place, apart in enumerate(set_off):
        # "Who" and "which" ask where there is nothing yet of which they could tell more.
        alone = place == framed or content(words[begun:place]) < 1
        asks = asks_at(words, place, apart=apart or place == framed, alone=alone)
        size = frame_at(words, place)
        held = place <= framed + 1 or (asked is not None and not apart and place <= asked + _REACH)
        if (
            place
            and (not held or words[place] in REASONS)
            and (
                (apart or asked is None) if asks else (size or _goes_on(words, place, apart=apart))
            )
        ):
            yield place
            begun, asked = place, None
        if size and place > framed:
            framed = place + size
        if asks and asked is None:
            asked = place


def asks_at(words: Sequence[str], place: int, *, apart: bool, alone: bool) -> bool:
    """Whether a question begins at a word: set apart, or alone with nothing before it."""
    word, before = words[place], words[place - 1] if place else ""
    following = words[place + 1] if place + 1 < len(words) else ""
    if word in QUESTION_WORDS:
        told = not alone and not (apart and word in ("what", "whats", "how", "why"))
        return before not in PREPOSITIONS and is_inverted(words, place, strict=told)
    if word in PREPOSITIONS and following in _OF_WHICH:
        return (apart or alone) and is_inverted(words, place + 1, strict=False)
    if word in AUXILIARIES and apart:
        if following in SUBJECTS:
            return word not in ("do", "have") or following not in _ORDERED
        named = following not in NOT_ASKED and following not in TELLING
        return word in _INVERTED and named and before not in JOINING
    if word in AUXILIARIES:
        plain = word in _DID and following not in NOT_ASKED
        first = following in ("i", "we", "there", "it") and word not in ("do", "have")
        return before not in LEADING and (plain or first)
    return apart and word in QUESTION_WORDS_ABROAD


def _goes_on(words: Sequence[str], place: int, *, apart: bool) -> bool:
    """Whether talk goes on at a word."""
    word, before = words[place], words[place - 1]
    following = words[place + 1] if place + 1 < len(words) else ""
    if (word in REASONS and following != "of") or (word in JOINING and following in TALKERS):
        return True
    if apart:
        return word in GOING_ON or (word in ("im", "ill") and before not in QUESTION_WORDS)
    if before in LEADING or before in JOINING:
        return False
    return word in MINE and (word != "i" or following in TALK_VERBS)


def frame_at(words: Sequence[str], place: int) -> int:
    """Return how many words from a place on say that something is asked: "tell me"."""
    if words[place] not in FRAMES or _is_told(words, place):
        return 0
    for phrase in FRAMES[words[place]]:
        end = place + len(phrase)
        if tuple(words[place:end]) == phrase:
            weak = words[place] in WEAK and AFTER_WEAK.isdisjoint(words[end : end + 1])
            return 0 if weak else len(phrase)
    return 0


def _is_told(words: Sequence[str], place: int) -> bool:
    """Whether somebody is said to do what a frame says: "you tell me", "they need to know"."""
    *_, earlier, before = "", "", *words[max(place - 2, 0) : place]
    return before in ("will", "they", "he", "she") or (
        before == "you" and earlier not in AUXILIARIES
    )


def after_frame(words: Sequence[str]) -> int | None:
    """Return where the first frame among some words ends."""
    for place in range(len(words)):
        if size := frame_at(words, place):
            return place + size
    return None


def is_inverted(words: Sequence[str], place: int, *, strict: bool) -> bool:
    """Whether the verb comes before the subject after a question word."""
    word, after = words[place], words[place + 1 : place + 5]
    if not after:
        return False
    if strict:
        return _is_plainly_inverted(word, after)
    if word in ("whats", "wheres", "whos") or (place == 0 and word == "why"):
        return True
    if after[0] == "about" or (word == "how" and after[0] in AFTER_HOW):
        return True
    if word in ("what", "who", "whose", "which") and after[0] not in SUBJECTS:
        return True
    if word in ("when", "where"):
        return after[0] in AUXILIARIES or not _DID.isdisjoint(after[:2])
    for other in after[: 2 if word == "why" else 4]:
        if other in AUXILIARIES:
            return True
        if other in SUBJECTS:
            return False
    return False


def _is_plainly_inverted(word: str, after: Sequence[str]) -> bool:
    """Whether a question word asks even in the midst of a sentence, where it may as well tell."""
    if word in ("when", "where", "why"):
        return after[0] in AUXILIARIES or not _DID.isdisjoint(after[:2])
    if after[0] in SUBJECTS or after[0] == "to":
        return False
    if word in ("who", "which", "whose") and (word == "who" or after[0] in AUXILIARIES):
        return not _DID.isdisjoint(after[:3])
    return not AUXILIARIES.isdisjoint(after[:3])
