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
# What sets a word off: a comma, a dash, a capital; "I'm" by itself.
_APART = lazy(
    r" (?:(?:(?<=[,;:.(–—-] )|(?<=[,;:.(–—-][^\w\s] ))[^\w\s]?(?=\w)|\((?=\w)"
    r"|(?=[^\W\d_a-z][a-z])|(?=[iI]['’]))"
)
_UNSPACED_END = lazy(rf"(?<=[，,；;：])|\w*(?:{UNSPACED_FRAMES})")
_DID = frozenset(("did", "does"))
_OF_THINGS = frozenset("what whats how why".split())
_OF_WHOM = frozenset("which whom whose".split())
_OF_WHICH = frozenset("what which whom whose".split())
# Verbs that ask before a name as well.
_INVERTED = frozenset("does did will can is are".split())
# What is ordered after "do" and "have".
_ORDERED = frozenset("a an the this that it".split())


_SAYING_LITTLE = STOP_WORDS | EMPTY | QUESTION_WORDS
_STARTING = frozenset().union(QUESTION_WORDS, AUXILIARIES, REASONS, JOINING, MINE, FRAMES)
_ASKING = QUESTION_WORDS | AUXILIARIES | PREPOSITIONS | QUESTION_WORDS_ABROAD
_STARTING_APART = PREPOSITIONS | GOING_ON | QUESTION_WORDS_ABROAD | {"im", "ill"}


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without apostrophes."""
    plain = text.lower()
    if "'" in plain or "’" in plain:
        return [word.replace("'", "").replace("’", "") for word in _WORD.findall(plain)]
    return _WORD.findall(plain)


def without_words(text: str, count: int) -> str:
    """Return a text without so many of its first words."""
    return text[[match.start() for match in _WORD.finditer(text)][count] :]


def content(words: Sequence[str]) -> float:
    """Return how many words tell what a question is about."""
    count = 0.0
    for word in words:
        if word in _SAYING_LITTLE:
            continue
        if word >= "\u3040" and word[0] <= "\u9fff":
            count += sum(character not in EMPTY_CHARACTERS for character in word) / 2
        elif len(word) > 1 or word.isdigit():
            count += 1
    return count


def unspaced(text: str) -> int:
    """Return how many characters are of scripts that are written without spaces."""
    if text.isascii():
        return 0
    return sum("\u3040" <= character <= "\u9fff" for character in text)


def clauses(sentence: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the clauses of a sentence, each with its words."""
    if unspaced(sentence) * 2 > len(sentence):
        yield from ((clause, words_of(clause)) for clause in _unspaced_clauses(sentence) if clause)
        return
    plain = sentence.lower()
    if len(plain) != len(sentence):
        yield sentence, words_of(sentence)
        return
    matches = list(_WORD.finditer(plain))
    words = words_of(sentence) if "'" in plain or "’" in plain else [m[0] for m in matches]
    places = [match.start() for match in matches]
    apart = {match.end() for match in _APART.finditer(sentence)}
    begun = start = 0
    for place in _starts(words, [at in apart for at in places]):
        yield sentence[start : places[place]].strip(_EDGES), words[begun:place]
        begun, start = place, places[place]
    yield sentence[start:], words[begun:]


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


def _starts(words: Sequence[str], set_off: Sequence[bool]) -> Iterator[int]:
    """Yield where clauses begin, but for the first."""
    begun, framed, asked = 0, -1, -_REACH
    for place, word in enumerate(words):
        apart = set_off[place] or place == framed
        if word not in _STARTING and not (apart and word in _STARTING_APART):
            continue
        asks = word in _ASKING and asks_at(words, place, begun, apart=apart or not place)
        size = frame_at(words, place) if word in FRAMES else 0
        # What is asked stays with its frame, and a question with its first words.
        free = place > framed + 1 and (apart or place > asked + _REACH or word in REASONS)
        if free and place:
            if asks:
                starts = apart or asked < 0
            else:
                starts = bool(size) or _goes_on(words, place, apart=apart)
            if starts:
                yield place
                begun, asked = place, -_REACH
        if size and place > framed:
            framed = place + size
        if asks and asked < 0:
            asked = place


def asks_at(words: Sequence[str], place: int, begun: int, *, apart: bool) -> bool:
    """Whether a question begins at a word of a clause, which a comma may set apart."""
    word, before = words[place], words[place - 1] if place else ""
    following = words[place + 1] if place + 1 < len(words) else ""
    if word in QUESTION_WORDS:
        if before in PREPOSITIONS and word in _OF_WHOM:
            return False
        # Where nothing was said yet, there is nothing of which "which" could tell more.
        sure = (apart and word in _OF_THINGS) or content(words[begun:place]) < 1
        return is_inverted(words, place, strict=not sure)
    if word in PREPOSITIONS and following in _OF_WHICH:
        return apart and is_inverted(words, place + 1, strict=False)
    if word in AUXILIARIES:
        return _asks_first(word, before, following, apart=apart)
    return apart and word in QUESTION_WORDS_ABROAD


def _asks_first(word: str, before: str, following: str, *, apart: bool) -> bool:
    """Whether a verb before its subject asks."""
    if not apart:
        plain = word in _DID and following not in NOT_ASKED
        first = following in ("i", "we", "there", "it") and word not in ("do", "have")
        return before not in LEADING and (plain or first)
    if following in SUBJECTS:
        return word not in ("do", "have") or following not in _ORDERED
    named = following not in NOT_ASKED and following not in TELLING
    return word in _INVERTED and named and before not in JOINING


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
    for phrase in FRAMES.get(words[place], ()):
        end = place + len(phrase)
        if words[place + 1 : end] == phrase[1:]:
            weak = words[place] in WEAK and AFTER_WEAK.isdisjoint(words[end : end + 1])
            return 0 if weak or _is_told(words, place) else len(phrase)
    return 0


def _is_told(words: Sequence[str], place: int) -> bool:
    """Whether somebody is said to do what a frame says: "you tell me", "they need to know"."""
    *_, earlier, before = "", "", *words[max(place - 2, 0) : place]
    return before in ("will", "they", "he", "she") or (
        before == "you" and earlier not in AUXILIARIES
    )


def after_frame(words: Sequence[str]) -> int | None:
    """Return where the first frame among some words ends."""
    if FRAMES.keys().isdisjoint(words):
        return None
    for place, word in enumerate(words):
        if word in FRAMES and (size := frame_at(words, place)):
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
