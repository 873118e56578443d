"""Cut a prompt into sentences, and a sentence without marks into clauses."""

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
    UNSPACED,
    UNSPACED_FRAMES,
    WEAK,
)
from milepost.text.expressions import FENCE, lazy
from milepost.text.words import STOP_WORDS

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
    begun, framed, asked = 0, -1, -1
    for place in range(len(words)):
        # A relative clause tells more of something; a question may have nothing before it.
        alone = place == framed or content(words[begun:place]) < 1
        asks = _asks(words, place, set_off[place] or place == framed, alone)
        size = frame_at(words, place)
        if place > max(framed + 1, 0) and (
            set_off[place] or not 0 <= asked < place <= asked + _REACH or words[place] in REASONS
        ):
            if (asks and (set_off[place] or asked < 0)) or (
                not asks and (size or _goes_on(words, place, set_off[place]))
            ):
                yield place
                begun, asked = place, -1
        if size and place > framed:
            framed = place + size
        if asks and asked < 0:
            asked = place


def _asks(words: Sequence[str], place: int, set_off: bool, alone: bool) -> bool:
    """Whether a question begins at a word."""
    word, following = words[place], words[place + 1] if place + 1 < len(words) else ""
    before = words[place - 1] if place else ""
    if word in QUESTION_WORDS:
        strict = not alone and not (set_off and word in ("what", "whats", "how", "why"))
        return before not in PREPOSITIONS and is_inverted(words, place, strict=strict)
    if word in PREPOSITIONS and following in ("what", "which", "whom", "whose"):
        return is_inverted(words, place + 1, strict=not set_off)
    if word in AUXILIARIES and set_off:
        return following in SUBJECTS or (word in _FIRST and following not in NOT_ASKED)
    if word in AUXILIARIES:
        asked_of = following in _ASKED_OF and word not in ("do", "have")
        plain = word in ("does", "did") and following not in NOT_ASKED
        return before not in LEADING and (asked_of or plain)
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
    reach = 2 if word in ("when", "where", "why") else 4
    for other in after[:reach]:
        if other in AUXILIARIES:
            return True
        if other in SUBJECTS:
            return False
    return False


def _is_plainly_inverted(word: str, after: Sequence[str]) -> bool:
    """Whether a question word asks even in the midst of a sentence, where it may as well tell."""
    if word in ("when", "where", "why"):
        return after[0] in AUXILIARIES
    if after[0] in SUBJECTS or after[0] == "to":
        return False
    if word in ("who", "which", "whose") and (word == "who" or after[0] in AUXILIARIES):
        return not {"did", "does"}.isdisjoint(after[:3])
    return not AUXILIARIES.isdisjoint(after[:3])
