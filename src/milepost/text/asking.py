"""Find what a prompt asks: of a hundred words of talk, the clause that is the question."""

from __future__ import annotations

import re
from itertools import pairwise

from milepost.text.asking_words import (
    AFTER_FORGETTING,
    AFTER_HOW,
    AUXILIARIES,
    EMPTY,
    EMPTY_CHARACTERS,
    FORGETTING,
    NOT_ASKED,
    OPENERS,
    PAST,
    PHRASES,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    QUESTION_WORDS_ABROAD,
    SAID_BY_YOU,
    SUBJECTS,
    TELLING,
    TO_FIND,
    UNSPACED,
    YOU,
)
from milepost.text.expressions import FENCE, lazy
from milepost.text.words import STOP_WORDS
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
_PASTED = ("File ", "at ", "Traceback", "E  ", ">", "|", "$ ", "//", "import ", "from ", "def ")

_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*")
_MARKED = lazy(r"[?？؟][\"'”’»)\]!.]*$")
# How a statement ends that wants a nod.
_TAG = lazy(
    r"(?i)[, ](?:no|right|huh|eh|ok|okay|yeah|yes|correct|true|innit|you know|oder|ne|gell|verdad|"
    r"vale|non|hein|né|vero)\?$"
)
_NAME = lazy(r"(?<=[a-z,;0-9] )(?!I\b)[A-Z]\w+")
# What lines of logs, shells and code begin with.
_LOG = lazy(
    r"\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN|ERROR|FATAL|TRACE)\b|[{}<$#+|]"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) [\w*]|\w+(?:\.\w+)*(?:Error|Exception):"
    r"|(?:npm|pip|git|docker|kubectl|cargo|make) \w+ -"
)
_REASON = lazy(
    r"(?i)[,;–—-] ?(?=(?:because|cause|cuz|since|asking|as i|so that|i|weil|denn|porque|parce|"
    r"pois|perché) )"
)
_TITLES = "".join(rf"(?<!\b{one}\.)" for one in ("Mr", "Mrs", "Ms", "Dr", "St", "vs", "etc"))
_BEGUN = (
    "What|When|Where|Which|Who|Whose|Why|How|Did|Does|Was|Wann|Wer|Wo|Wie|Warum|Wieso|Welche[rsnm]?"
)
# "Before you start: what…", "one more thing, Did…": what announces a question ends with it.
_ANNOUNCED = (
    rf"(?:{_BEGUN}|Is|Are|Can|Could|Do|Has|Have|Should|Were|In|On|At|For|From|With|"
    r"¿[A-Z]\w*)"
)
_ASKED = "what|when|where|which|who|whose|why|how|did|does|is|are|was|were|can|do|has|have"
# Where sentences end; a question may begin without the end of what stands before.
_END = lazy(
    rf"(?<=[:—–])\s+(?=(?:{_ASKED})\b|[A-Z¿])|(?<=[,;-])\s+(?={_ANNOUNCED}\s)|"
    r"(?<=[!?…])[\"'”’»)\]]*\s+|(?<=[。！？])|(?<=[\w\"”')\]]{2}\.)"
    rf"{_TITLES}\s+|(?<=[^\W\d_.,:;]|[\d)\]}}>`])\s+(?=(?:{_BEGUN})\s+[^\WA-Z\d_])"
)


class _Sentence(NamedTuple):
    """A sentence of a prompt, and how much it asks: 0 where it does not."""

    text: str
    words: int
    asks: float
    marked: bool
    pasted: bool


def the_part_that_asks(text: str) -> str:
    """Return the question in a long prompt; the prompt where it is short or asks nothing."""
    if _is_short(text):
        return text
    found = _with_what_they_lean_on(
        [_judged(sentence, pasted) for sentence, pasted in _ends(list(_sentences(text)))]
    )
    best = max((sentence.asks for sentence in found), default=0.0)
    if best <= _FILLER:
        return _capped(text)
    if len(found) == 2 and found[1].asks == best and _size(text) <= _WORDS_OF_TWO:
        return text
    first = next(place for place, sentence in enumerate(found) if sentence.asks == best)
    chosen = _chosen(found, first)
    asked = " ".join(_narrowed(found[place].text) for place in chosen)
    if leans(asked):
        return f"{_before(found[: chosen[0]])} {asked}".strip()
    return asked


def asks_what_was(question: str) -> bool:
    """Whether a question is about what was, rather than about what holds."""
    return not PAST.isdisjoint(_words(question))


def leans(question: str) -> bool:
    """Whether a question says too little without what stands before it."""
    if _NAME.search(question):
        return False
    words = _words(question)
    content = _content(words)
    return content < _ALONE or (content < _ALONE_WITH_PRONOUN and not PRONOUNS.isdisjoint(words))


def _is_short(text: str) -> bool:
    return len(text.split()) < _WORDS_SHORT and (text.isascii() or _unspaced(text) < _CHARS_SHORT)


def _unspaced(text: str) -> int:
    return sum("\u3040" <= character <= "\u9fff" for character in text)


def _size(text: str) -> int:
    return len(text.split()) + (0 if text.isascii() else _unspaced(text) // 2)


def _capped(text: str) -> str:
    words = text.split()
    if len(words) <= _WORDS_KEPT:
        return text
    half = _WORDS_KEPT // 2
    return " ".join([*words[:half], *words[-half:]])


def _ends(sentences: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    half = _SENTENCES_MAX // 2
    return sentences if len(sentences) <= 2 * half else sentences[:half] + sentences[-half:]


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a prompt without fenced code, and whether each looks pasted."""
    if "```" in text or "~~~" in text:
        text = FENCE.sub("\n", text)
    for line in text.splitlines():
        quoted = line[:4].isspace() or line.startswith("\t") or line.lstrip().startswith(_PASTED)
        for sentence in _END.split(" ".join(line.split())):
            said = sentence.strip()
            if said:
                yield said, quoted or not _is_prose(said)


def _is_prose(sentence: str) -> bool:
    letters = sum(map(str.isalpha, sentence)) + sentence.count(" ")
    return letters >= 0.75 * len(sentence) and not _LOG.match(sentence)


def _judged(text: str, pasted: bool) -> _Sentence:
    words = _words(text)
    marked = _MARKED.search(text) is not None
    sign = _sign(text, words, marked=marked)
    asks = 0.0
    if sign and _content(words) >= 1:
        asks = max(sign + _weight(text, words) - 2 * pasted, _FILLER)
    elif sign:
        asks = _BARE if _is_bare(words) and not pasted else _FILLER
    return _Sentence(text, _size(text), asks, marked, pasted)


def _with_what_they_lean_on(sentences: list[_Sentence]) -> list[_Sentence]:
    """Return sentences that ask the more where they ask about the one before."""
    found = sentences[:1]
    for before, sentence in pairwise(sentences):
        about = 0.0
        if sentence.asks > _FILLER and not before.asks and not before.pasted:
            about = 0.2 * min(_content(_words(before.text)), 4) if leans(sentence.text) else 0.0
        found.append(sentence._replace(asks=sentence.asks + about))
    return found


def _sign(text: str, words: Sequence[str], *, marked: bool) -> float:
    """Return how plainly a sentence is a question."""
    formed = _begins_asking(words, text) or _first_phrase(words) is not None
    if not text.isascii() and not formed:
        formed = any(sign in text for sign in UNSPACED)
    if marked:
        formed = formed or next(_inner_questions(words), None) is not None
        return 2.0 if formed else 0.1 if _TAG.search(text) else 1.7
    return 0.7 if formed or any(_inner_questions(words, strict=True)) else 0.0


def _is_bare(words: Sequence[str]) -> bool:
    """Whether a question is about what was just said: "Why?", "What do I do?"."""
    asked = QUESTION_WORDS | QUESTION_WORDS_ABROAD
    return not asked.isdisjoint(words) and YOU.isdisjoint(words) and words[-1] != "up"


def _weight(text: str, words: Sequence[str]) -> float:
    """Return how much a question seems to be about what is known."""
    weight = 0.4 * min(_content(words), 4)
    weight += 0.4 * (not PAST.isdisjoint(words)) + 0.3 * bool(_NAME.search(text))
    if _gives_task(words):
        weight -= 1.4
    elif not YOU.isdisjoint(words) and SAID_BY_YOU.isdisjoint(words):
        weight -= 1.2
    elif words[0] in ("isnt", "arent", "wouldnt", "shall"):
        # Who asks so wants a nod.
        weight -= 1.0
    return weight + 0.3 * (not QUESTION_WORDS.isdisjoint(words))


def _gives_task(words: Sequence[str]) -> bool:
    """Whether somebody is asked to do something other than to tell or to find."""
    plain = [word for word in words if word not in OPENERS][:3]
    asked = plain[:2] in (["can", "you"], ["could", "you"], ["would", "you"], ["will", "you"])
    return asked and len(plain) > 2 and plain[2] not in TELLING


def _begins_asking(words: Sequence[str], text: str) -> bool:
    start = next((i for i, word in enumerate(words) if word not in OPENERS), 0)
    start += words[start] in PREPOSITIONS if words else 0
    first, second = (*words[start : start + 2], "", "")[:2]
    if first in QUESTION_WORDS:
        return _is_inverted(words, start, strict=False)
    if first == "look":
        return second in ("up", "for")
    if first in QUESTION_WORDS_ABROAD or first in TO_FIND:
        return not text.endswith("!")
    if first in ("do", "have", "had", "may", "might"):
        return second in SUBJECTS and second not in ("a", "an", "the", "this", "that")
    return first in AUXILIARIES and second not in NOT_ASKED


def _is_inverted(words: Sequence[str], place: int, *, strict: bool) -> bool:
    """Whether the verb comes before the subject after a question word."""
    word, after = words[place], words[place + 1 : place + 5]
    if not after:
        return False
    if strict:
        return any(other in ("did", "does") for other in after[:3])
    if word in ("whats", "wheres", "whos") or (place == 0 and word == "why"):
        return True
    if after[0] == "about" or (word == "how" and after[0] in AFTER_HOW):
        return True
    if word in ("who", "whose", "which") and after[0] not in SUBJECTS:
        return True
    reach = 2 if word in ("when", "where", "why") else 4
    for other in after[:reach]:
        if other in AUXILIARIES:
            return True
        if other in SUBJECTS:
            return False
    return False


def _inner_questions(words: Sequence[str], *, strict: bool = False) -> Iterator[int]:
    """Yield where questions begin within a sentence."""
    for place, word in enumerate(words):
        # "Who" and "which" in the midst of a sentence as often tell more of somebody.
        told = strict or word in ("who", "whose", "which")
        if place and word in QUESTION_WORDS and _is_inverted(words, place, strict=told):
            yield place - (words[place - 1] in PREPOSITIONS)


def _first_phrase(words: Sequence[str]) -> int | None:
    """Return where a phrase that asks begins within a sentence."""
    for place, word in enumerate(words):
        for phrase in PHRASES.get(word, ()):
            if tuple(words[place : place + len(phrase)]) == phrase:
                return place
        for phrase in FORGETTING.get(word, ()):
            end = place + len(phrase)
            if tuple(words[place:end]) == phrase and words[end : end + 1]:
                return place if words[end] in AFTER_FORGETTING else None
    return None


def _chosen(found: Sequence[_Sentence], best: int) -> list[int]:
    """Return which sentences are asked: the best, and those that ask nearly as much."""
    room = _WORDS_ASKED - found[best].words
    chosen = {best}
    for place, sentence in enumerate(found):
        margin = _NEARLY_NEXT if place == best + 1 else _NEARLY
        near = sentence.marked >= found[best].marked and sentence.asks >= found[best].asks - margin
        if near and place != best and sentence.words <= room:
            chosen.add(place)
            room -= sentence.words
    return sorted(chosen)


def _narrowed(sentence: str) -> str:
    """Return the clause that asks of a long sentence, where it can stand by itself."""
    if _is_short(sentence):
        return sentence
    if _unspaced(sentence) >= _CHARS_SHORT:
        return _unspaced_clause(sentence)
    spans = [match.span() for match in _WORD.finditer(sentence)]
    words = _words(sentence)
    if _begins_asking(words, sentence) or len(words) != len(spans):
        return _without_reason(sentence)
    starts = [_first_phrase(words), *_inner_questions(words)]
    if "¿" in sentence:
        starts.insert(0, sum(end <= sentence.index("¿") for _, end in spans))
    for start in filter(None, starts):
        clause = sentence[spans[start][0] :]
        if _content(words[start:]) >= _ALONE_WITH_PRONOUN and not leans(clause):
            return _without_reason(clause)
    return sentence


def _without_reason(question: str) -> str:
    """Return a long question without why it is asked."""
    asked = _REASON.split(question, maxsplit=1)[0]
    return question if _is_short(question) or leans(asked) else asked


def _unspaced_clause(sentence: str) -> str:
    clauses = re.split("(?<=[，,；;])", sentence)
    asking = [i for i, clause in enumerate(clauses) if _sign(clause, _words(clause), marked=False)]
    if not asking:
        return sentence
    last = asking[-1]
    alone = not leans(clauses[last])
    return "".join(clauses[last if alone else max(last - 1, 0) :])


def _before(sentences: Sequence[_Sentence]) -> str:
    """Return what a question leans on: the sentence before, and more while that leans as well."""
    said: list[str] = []
    for sentence in reversed([one for one in sentences if not one.pasted]):
        said.insert(0, sentence.text)
        if not leans(sentence.text) or len(said) == 2:
            break
    words = " ".join(said).split()
    return " ".join(words[-_WORDS_LEANT_ON:])


def _words(text: str) -> list[str]:
    return [word.replace("'", "").replace("’", "") for word in _WORD.findall(text.lower())]


def _content(words: Sequence[str]) -> float:
    """Return how many words tell what a question is about."""
    count = 0.0
    for word in words:
        if word >= "\u3040" and word[0] <= "\u9fff":
            count += sum(character not in EMPTY_CHARACTERS for character in word) / 2
        elif len(word) > 1 or word.isdigit():
            count += not (word in STOP_WORDS or word in EMPTY or word in QUESTION_WORDS)
    return count
