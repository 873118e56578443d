"""Cut a prompt into sentences, and a sentence without marks into clauses."""

from __future__ import annotations

from milepost.text.asking_words import (
    AFTER_HOW,
    AFTER_WEAK,
    AUXILIARIES,
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
    UNSPACED,
    UNSPACED_FRAMES,
    WEAK,
)
from milepost.text.expressions import FENCE, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*")
_PASTED = ("File ", "at ", "Traceback", "E  ", ">", "|", "$ ", "//", "import ", "from ", "def ")
# What lines of logs, shells and code begin with.
_LOG = lazy(
    r"\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:DEBUG|INFO|WARN|ERROR|FATAL|TRACE)\b|[{}<$#+|]"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER) [\w*]|\w+(?:\.\w+)*(?:Error|Exception):"
    r"|(?:npm|pip|git|docker|kubectl|cargo|make) \w+ -"
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
_UNSPACED_END = lazy(rf"(?<=[，,；;：])|\w*(?:{UNSPACED_FRAMES})")
# So many words belong to a question that has begun.
_REACH = 4
_FIRST = frozenset("does did will can is are should".split())
_ASKED_OF = frozenset("i we there it".split())
_EDGES = " ,;-–—.("
_SET_OFF = frozenset(",;:-–—.(")


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters, without apostrophes."""
    return [word.replace("'", "").replace("’", "") for word in _WORD.findall(text.lower())]


def unspaced(text: str) -> int:
    """Return how many characters are of scripts that are written without spaces."""
    return sum("\u3040" <= character <= "\u9fff" for character in text)


def sentences(text: str) -> Iterator[tuple[str, bool]]:
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


def clauses(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence: where no mark ends a question, talk that goes on does."""
    if not sentence.isascii() and unspaced(sentence) * 2 > len(sentence):
        yield from _unspaced_clauses(sentence)
        return
    spans = [match.span() for match in _WORD.finditer(sentence)]
    words = words_of(sentence)
    if len(words) != len(spans):
        yield sentence
        return
    begun = 0
    for place in _starts(words, [_is_set_off(sentence, spans, i) for i in range(len(words))]):
        yield from filter(None, [sentence[begun : spans[place][0]].strip(_EDGES)])
        begun = spans[place][0]
    yield from filter(None, [sentence[begun:].strip(_EDGES)])


def _unspaced_clauses(sentence: str) -> Iterator[str]:
    """Yield clauses, each that asks together with the one before unless that speaks of oneself."""
    before = ""
    for clause in filter(None, _UNSPACED_END.split(sentence)):
        if any(sign in clause for sign in UNSPACED):
            yield before + clause
            before = ""
        else:
            if before:
                yield before
            before = clause if "我" not in clause else ""
            if not before:
                yield clause
    if before:
        yield before


def _starts(words: Sequence[str], set_off: Sequence[bool]) -> Iterator[int]:
    """Yield where clauses begin."""
    framed = asked = -_REACH
    for place in range(len(words)):
        size = frame_at(words, place)
        asks = _asks(words, place, set_off[place] or place == framed)
        if place and _begins(words, place, set_off[place], size, asks, framed, asked):
            yield place
            asked = -_REACH
        if size and place > framed:
            framed = place + size
        if asks and asked < 0:
            asked = place


def _begins(words, place, set_off, size, asks, framed, asked):
    if place <= framed + 1:
        return False
    if not set_off and 0 <= asked and place <= asked + _REACH:
        return False
    if asks:
        return set_off or asked < 0
    return size or _goes_on(words, place, set_off)


def _asks(words: Sequence[str], place: int, set_off: bool) -> bool:
    """Whether a question begins at a word."""
    word, following = words[place], words[place + 1] if place + 1 < len(words) else ""
    before = words[place - 1] if place else ""
    if word in QUESTION_WORDS:
        strict = not set_off and word in ("who", "whose", "which")
        return before not in PREPOSITIONS and is_inverted(words, place, strict=strict)
    if word in PREPOSITIONS and following in ("what", "which", "whom", "whose"):
        return is_inverted(words, place + 1, strict=not set_off)
    if word in AUXILIARIES and set_off:
        return following in SUBJECTS or (word in _FIRST and following not in NOT_ASKED)
    if word in AUXILIARIES:
        asked_of = following in _ASKED_OF and word not in ("do", "have")
        return before not in LEADING and (asked_of or word in ("does", "did"))
    return set_off and word in QUESTION_WORDS_ABROAD


def _is_set_off(sentence: str, spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a comma, a dash or a capital stands where a word begins."""
    if not place:
        return True
    end, start = spans[place - 1][1], spans[place][0]
    gap = sentence[end:start]
    if sentence[start : start + 2] in ("i'", "I'", "i’", "I’"):
        return True
    if gap == " ":
        return sentence[start].isupper() and sentence[start + 1 : start + 2].islower()
    return not _SET_OFF.isdisjoint(gap)


def _goes_on(words: Sequence[str], place: int, set_off: bool) -> bool:
    """Whether talk goes on at a word."""
    word, before = words[place], words[place - 1]
    following = words[place + 1] if place + 1 < len(words) else ""
    if (word in REASONS and following != "of") or (word in JOINING and following in TALKERS):
        return True
    if set_off:
        return word in GOING_ON or (word in ("im", "ill") and before not in LEADING)
    if before in LEADING or before in JOINING:
        return False
    return word in MINE and (word != "i" or following in TALK_VERBS)


def frame_at(words: Sequence[str], place: int) -> int:
    """Return how many words from a place on say that something is asked: "tell me"."""
    for phrase in FRAMES.get(words[place], ()):
        end = place + len(phrase)
        if tuple(words[place:end]) == phrase:
            weak = words[place] in WEAK and end < len(words) and words[end] not in AFTER_WEAK
            return 0 if weak else len(phrase)
    return 0


def is_inverted(words: Sequence[str], place: int, *, strict: bool) -> bool:
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
    if word in ("what", "who", "whose", "which") and after[0] not in SUBJECTS:
        return True
    reach = 2 if word in ("when", "where", "why") else 4
    for other in after[:reach]:
        if other in AUXILIARIES:
            return True
        if other in SUBJECTS:
            return False
    return False
