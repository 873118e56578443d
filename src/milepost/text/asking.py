"""Find what a prompt asks: of a hundred words of talk, the clause that is the question."""

from __future__ import annotations

from milepost.text.asking_words import (
    ANNOUNCING,
    OPENERS,
    PRONOUNS,
    QUESTION_WORDS,
    QUESTION_WORDS_ABROAD,
    SAID_BY_YOU,
    TELLING,
    TO_FIND,
    UNSPACED,
    YOU,
)
from milepost.text.clauses import (
    after_frame,
    asks_at,
    clauses,
    content,
    unspaced,
    without_words,
    words_of,
)
from milepost.text.expressions import lazy
from milepost.text.prompts import sentences
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# A question of fewer words, or of fewer characters without spaces, is asked as it is.
_WORDS_SHORT, _CHARS_SHORT = 20, 30
# So long may a question be together with one sentence that tells the situation.
_WORDS_OF_TWO = 27
# Who asks for nothing says what matters at the beginning or at the end.
_WORDS_KEPT, _SENTENCES_MAX = 120, 200
# Several questions are asked together up to so many words.
_WORDS_ASKED = 45
_WORDS_LEANT_ON = 25
# How much weaker than the best question another may be that is asked with it.
_NEARLY = 0.5
# A question needs so many words with content to be understood by itself.
_ALONE, _ALONE_WITH_PRONOUN = 2, 3
# How much "Could you help me?" asks, and how much "Why?" does.
_FILLER, _BARE = 0.1, 1.8
# How much weaker a question may be that follows the best at once.
_NEARLY_NEXT = 1.0

_MARKED = lazy(r"[?？؟][\"'”’»)\]!.]*$")
_NAME = lazy(r"(?<=[a-z,;0-9] )(?!I\b)[A-Z]\w+")


class _Clause(NamedTuple):
    """A question with its mark, or a clause without, and how much it asks: 0 where it does not."""

    text: str
    words: list[str]
    asks: float
    marked: bool
    pasted: bool
    framed: int | None
    sentence: str


def the_part_that_asks(text: str) -> str:
    """Return the question in a long prompt; the prompt where it is short or asks nothing."""
    if _is_short(text):
        return text
    found = list(_announced(_clauses(text)))
    best = max((clause.asks for clause in found), default=0.0)
    if best <= _FILLER:
        return _capped(text)
    if found[-1].asks == best and _size(text) <= _WORDS_OF_TWO and _are_two(found):
        return text
    first = next(place for place, clause in enumerate(found) if clause.asks == best)
    chosen = _chosen(found, first)
    asked = " ".join(_narrowed(found[place]) for place in chosen)
    if leans(asked):
        return f"{_before(found, chosen[0])} {asked}".strip()
    return asked


def _are_two(found: Sequence[_Clause]) -> bool:
    return len({clause.sentence for clause in found}) == 2


def leans(question: str) -> bool:
    """Whether a question says too little without what stands before it."""
    if _NAME.search(question):
        return False
    words = words_of(question)
    told = content(words)
    return told < _ALONE or (told < _ALONE_WITH_PRONOUN and not PRONOUNS.isdisjoint(words))


def _is_short(text: str) -> bool:
    return len(text.split()) < _WORDS_SHORT and (text.isascii() or unspaced(text) < _CHARS_SHORT)


def _size(text: str) -> int:
    return len(text.split()) + (0 if text.isascii() else unspaced(text) // 2)


def _capped(text: str) -> str:
    words = text.split()
    if len(words) <= _WORDS_KEPT:
        return text
    half = _WORDS_KEPT // 2
    return " ".join([*words[:half], *words[-half:]])


def _ends(sentences: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    half = _SENTENCES_MAX // 2
    return sentences if len(sentences) <= 2 * half else sentences[:half] + sentences[-half:]


def _clauses(text: str) -> Iterator[_Clause]:
    """Yield what a prompt says: a question up to its mark is one, talk is cut where it turns."""
    for sentence, pasted in _ends(list(sentences(text))):
        marked = _MARKED.search(sentence) is not None
        parts = [(sentence, words_of(sentence))] if pasted or marked else clauses(sentence)
        for part, words in parts:
            framed = after_frame(words)
            asks = _asks(part, words, framed, marked=marked, pasted=pasted)
            yield _Clause(part, words, asks, marked, pasted, framed, sentence)


def _asks(text: str, words: list[str], framed: int | None, *, marked: bool, pasted: bool) -> float:
    """Return how much a clause asks."""
    sign = _sign(text, words, framed, marked=marked)
    if not sign:
        return sign
    if content(words) >= 1:
        return max(sign + _weight(words) - 2 * pasted, _FILLER)
    return _BARE if _is_bare(words) and not pasted else _FILLER


def _announced(found: Iterable[_Clause]) -> Iterator[_Clause]:
    """Yield clauses that ask the more where the one before says that a question comes."""
    announced = False
    for clause in found:
        words = clause.words
        if announced and not clause.pasted and content(words) >= 1:
            yield clause._replace(asks=max(clause.asks, 0.7 + _weight(words)) + 0.5)
        else:
            yield clause
        framed = clause.framed
        announced = framed is not None and (len(words) - framed <= 1 or clause.text.endswith(":"))
        if not ANNOUNCING.isdisjoint(words):
            announced = announced or content(words) < 1


def _sign(text: str, words: Sequence[str], framed: int | None, *, marked: bool) -> float:
    """Return how plainly a clause is a question."""
    formed = _begins_asking(words) or (framed is not None and content(words[framed:]) >= 1)
    if not text.isascii() and not formed:
        formed = any(sign in text for sign in UNSPACED)
    if marked:
        return 2.0 if formed else 1.7
    return 0.7 if formed and not _gives_task(words) else 0.0


def _is_bare(words: Sequence[str]) -> bool:
    """Whether a question is about what was just said: "Why?", "What do I do?"."""
    asked = QUESTION_WORDS | QUESTION_WORDS_ABROAD
    return not asked.isdisjoint(words) and YOU.isdisjoint(words) and words[-1] != "up"


def _weight(words: Sequence[str]) -> float:
    """Return how much a question seems to be about what is known."""
    weight = 0.4 * min(content(words), 4) + 0.3 * (not QUESTION_WORDS.isdisjoint(words))
    if _gives_task(words):
        return weight - 1.4
    if not YOU.isdisjoint(words) and SAID_BY_YOU.isdisjoint(words):
        return weight - 1.2
    return weight


def _gives_task(words: Sequence[str]) -> bool:
    """Whether somebody is asked to do something other than to tell or to find."""
    plain = [word for word in words if word not in OPENERS][:3]
    asked = plain[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"])
    return asked and len(plain) > 2 and plain[2] not in TELLING


def _begins_asking(words: Sequence[str]) -> bool:
    for place, word in enumerate(words):
        if word not in OPENERS:
            return word in TO_FIND or asks_at(words, place, place, apart=True)
    return False


def _chosen(found: Sequence[_Clause], best: int) -> list[int]:
    """Return which clauses are asked: the best, and those that ask nearly as much."""
    asked = found[best]
    room = _WORDS_ASKED - _size(asked.text)
    chosen = {best}
    for place, clause in enumerate(found):
        # Without a mark it is a guess that something is asked, and one guess is enough.
        if place == best or (not asked.marked and abs(place - best) != 1):
            continue
        margin = _NEARLY_NEXT if place == best + 1 else _NEARLY
        near = clause.marked >= asked.marked and clause.asks >= asked.asks - margin
        if near and _size(clause.text) <= room:
            chosen.add(place)
            room -= _size(clause.text)
    return sorted(chosen)


def _narrowed(found: _Clause) -> str:
    """Return what asks of a clause: of a long sentence with a mark, the clauses that do."""
    sentence = found.text
    if not found.marked:
        return _unframed(sentence)
    if _size(sentence) <= _WORDS_OF_TWO:
        return sentence
    parts = list(clauses(sentence))
    asking = [text for text, words in parts if _sign(text, words, after_frame(words), marked=False)]
    if not asking or asking[0] == parts[0][0]:
        return sentence
    start, end = sentence.find(asking[0]), sentence.rfind(asking[-1]) + len(asking[-1])
    asked = _unframed(sentence[start:end])
    return sentence if leans(asked) else asked


def _unframed(clause: str) -> str:
    """Return a clause without the words that say that it asks."""
    words = words_of(clause)
    framed = after_frame(words)
    if framed is None or content(words[framed:]) < _ALONE:
        return clause
    return without_words(clause, framed)


def _before(found: Sequence[_Clause], place: int) -> str:
    """Return what a question leans on: the sentence before, and more while that leans as well."""
    said: list[str] = []
    for clause in reversed(found[:place]):
        text = clause.text if clause.sentence == found[place].sentence else clause.sentence
        if clause.pasted or text in said:
            continue
        said.insert(0, text)
        if not leans(text) or len(said) == 2:
            break
    words = " ".join(said).split()
    return " ".join(words[-_WORDS_LEANT_ON:])
