"""What a person pasted into a prompt, told from what they say in it themselves.

A plan, a ticket, a log or somebody's rules are full of "always" and "we decided", and none of it is
the will of who pasted them. What stands between rules, behind signs of quotation, under a heading,
the headers of a mail or after "here is the plan:" is taken for pasted; precision first, so a list
under a title of its own is too. After a request to work on a text ("summarise this:") all is that
text, up to where the person comes back to it, and so after a question for an opinion on "this";
after one to work on a thing ("fix the login:") stands what they want of it.
"""

from __future__ import annotations

from milepost.text import pasted_words as words
from milepost.text.attributed import own_again, without_passed_on
from milepost.text.expressions import FENCE, lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A line of nothing but a rule, or a title between two.
_RULE = lazy(r"\s*(?:[-=*_~#+─━═—–]{3,}|={2,}|(?:[-=*~#─━═]{2,})\s.{1,80}\s[-=*~#─━═]{2,})\s*$")
_ITEM = lazy(r"\s*(?:[-*+•·‣]|\d{1,2}[.)、]|[a-z]\)|[①-⑳])\s*\S")
_QUOTED = lazy(r"\s*(?:[>|]|&gt;)")
_LOG = lazy(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d"
    r"|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b"
    r"|at [\w.$<>]+[( ]|File \"|Traceback |[\w.]+(?:Error|Exception): )"
)
_HEADING = lazy(r"\s*(?:#{1,6}\s|\[[A-Z][A-Z0-9]+-?\d+\]|[A-Z]+-\d+\b|#\d+\b)")
_OPENS, _CLOSES = "\"“”«„「『‹'", "\"”“»“」』›'"
_QUOTE_CHARS = 60
# A quotation inside a sentence that is more than one word: what something is called, or what others
# say, whatever rule its words sound like.
_INNER = lazy(
    r"\"[^\"\n]+\s[^\"\n]+\"|“[^”\n]+\s[^”\n]+”|„[^“”\n]+\s[^“”\n]+[“”]|«[^»\n]+\s[^»\n]+»"
    r"|(?<![\w'])'[^'\n]+\s(?:[^'\n]|(?<=\w)'(?=\w))+'(?!\w)|「[^」\n]{4,}」|『[^』\n]{4,}』"
)
# One of several sentences, which would be read as if each stood alone.
_LONG = lazy(
    r"\"[^\"\n]{1,300}[.!?] [^\"\n]{1,900}\"|“[^”\n]{1,300}[.!?] [^”\n]{1,900}”"
    r"|„[^“”\n]{1,300}[.!?] [^“”\n]{1,900}[“”]|«[^»\n]{1,300}[.!?] [^»\n]{1,900}»"
    r"|「[^」\n]{1,300}。[^」\n]{1,900}」"
)
# How people announce what others wrote, in the languages that sessions are held in.
_ANNOUNCES = lazy(
    r"(?i)\bpast(?:e|ed|ing)\b|\bsent\b|\bforwarded\b|\bcop(?:y|ied)\b|\bhere(?:'s| is| are)\b"
    r"|\bfrom the (?:tracker|ticket|issue|wiki|docs?|readme|log|mail|thread)\b|\bwrote\b|\bsays?:"
    r"|\baccording to\b|\breport\b|\bguide(?:line)?s?\b|\bthe plan\b"
    r"|geschickt|weitergeleitet|eingefügt|kopier|\bhier (?:ist|der|die|das)\b|schreibt|auszug"
    r"|\bécri(?:t|vent)\b|\bescribe\b|\bescreve\b|\bscrive\b|schrijft|\bpisze\b|\bpíše\b|\bпише[т]?\b"
    r"|\byazıyor\b|写道"
    r"|aus dem (?:ticket|issue|wiki|log)|envoyé|\bcolle|copie|transmis|\bvoici\b|extrait|charte"
    r"|\bcopio\b|\bpego\b|enviad|mandad|\baquí (?:está|va|tienes)|\bcol(?:o|ei|ando)\b|enviou"
    r"|mandou|\bsegue\b|incoll|inviat|mandat|\becco\b|gestuurd|\bplak|\bhier is\b|wklej|przysła"
    r"|przesła|wysła|\boto\b|vklád|posla|\btady je\b|прислал|вставля|скопиров|пересла|копиру"
    r"|\bвот\b|надісла|копію|\bось\b|gönder|yapıştır|kopyala|iletti|\bişte\b|贴|发来|发给|转发|以下是"
    r"|这是|貼|送って|転送|届い|以下|コピペ|붙여|보내|전달|다음은|복사|أرسل|نسخت|ألصق|إليك"
)
_WORDING, _READING = lazy(words.WORDING), lazy(words.READING)
_POINTING, _TEXTS, _TALK = lazy(words.POINTING), lazy(words.TEXTS), lazy(words.TALK)
_WORKING, _MINE, _SENT = lazy(words.WORKING), lazy(words.MINE), lazy(words.SENT)
_SALUTATION = lazy(words.SALUTATION)
_OWN, _ABOVE, _TURNING = lazy(words.OWN), lazy(words.ABOVE), lazy(words.TURNING)
_MAIL, _FORWARDED, _MINUTES = lazy(words.MAIL), lazy(words.FORWARDED), lazy(words.MINUTES)
_SUBJECT = lazy(r"(?i)\W*(?:subject|betreff|objet|asunto|assunto|oggetto|тема|主题|件名)\s?[:：]")
_SENTENCE = lazy(r"[^.!?。！？]+(?:[.!?。！？]+(?=\s|$)|[.!?。！？]+(?=\S)|$)")
_HEAD = lazy(r"([^:：.!?\n]{4,80})[:：]\s*\S")
_BARE, _OPINION = lazy(words.BARE), lazy(words.OPINION)
_COLONS = (":", "：")
_MARKS = ("?", "？", "؟")
# So short is a title, a request without an object, and what a person adds to a text at last.
_TITLE_CHARS, _REQUEST_WORDS, _ADDED_LINES = 60, 6, 4
# Where code stood: it is as long as what stands between two rules.
_MARK = "\0"
_CODE = f"\n{_MARK}\n{_MARK}\n"
# How much of what follows a line is not its author's.
_NONE, _NEXT, _REST = range(3)


def own_words(text: str) -> str:
    """Return what a person says in a prompt themselves; pasted lines are left out."""
    if "```" in text or "~~~" in text:
        text = FENCE.sub(_CODE, text)
    if "\n" not in text:
        return "" if _is_quotation(text) else _spoken(text)
    lines = text.splitlines()
    left_out = _between_rules(lines) | {n for n, line in enumerate(lines) if line == _MARK}
    blocks = list(_blocks(lines, left_out))
    if blocks and _is_about_the_above([lines[place] for place in blocks[-1]]):
        return "\n".join(lines[place] for place in blocks[-1])
    left_out |= _pasted(lines, blocks, left_out)
    return "\n".join("" if place in left_out else line for place, line in enumerate(lines))


def _pasted(lines: list[str], blocks: Sequence[Sequence[int]], left_out: set[int]) -> set[int]:
    """Return the lines that are not their author's; what introduces them loses its colon."""
    pasted: set[int] = set()
    follows, end = _NONE, -1
    for number, block in enumerate(blocks):
        said = [lines[place] for place in block]
        between = left_out.intersection(range(end + 1, block[0]))
        # What was announced may have stood between rules already.
        if len(between) > 1 or (between and follows == _NEXT):
            follows = _NONE
        if follows == _REST and number == len(blocks) - 1 and end in pasted:
            follows = _NONE if _comes_back(said, after_rule=bool(between)) else _REST
        if follows or _is_pasted(said):
            pasted.update(block)
            follows = _after_pasted(said, follows)
        else:
            pasted.update(p for p in block if _QUOTED.match(lines[p]) or _LOG.match(lines[p]))
            _leave_out_others(lines, block)
            follows = _introduced(said[-1], block[-1] + 1 < len(lines))
            if follows:
                lines[block[-1]] = _without_colon(said[-1], follows)
        end = block[-1]
    return pasted


def _leave_out_others(lines: list[str], block: Sequence[int]) -> None:
    """Take out of some lines what others say, up to where the person comes back."""
    speaking = False
    for place in block:
        if speaking:
            own, speaking = own_again(lines[place])
        else:
            own, speaking = without_passed_on(_without_long(lines[place]))
        lines[place] = own


def _without_long(line: str) -> str:
    return _LONG.sub("…", line) if any(mark in line for mark in '"“„«「') else line


def _without_colon(line: str, follows: int) -> str:
    """Return a request without its colon, and what stands before an announcement."""
    said = line.rstrip().rstrip(":： ")
    if follows == _REST or not line.rstrip().endswith(_COLONS):
        return said
    sentences = _SENTENCE.findall(said)
    return "".join(sentences[:-1]).rstrip()


def _after_pasted(block: Sequence[str], follows: int) -> int:
    """Return how far a text goes on: a mail to the end, and a title is of what stands under it."""
    if _is_quotation("\n".join(block)) or all(_QUOTED.match(s) or _LOG.match(s) for s in block):
        return _NONE
    if follows == _REST or _begins_mail(block):
        return _REST
    title = block[0].rstrip()
    titled = len(block) == 1 and len(title) <= _TITLE_CHARS and title[-1] not in ".!?;,。"
    return _NEXT if titled and (follows or _HEADING.match(title)) else _NONE


def without_quotations(sentence: str) -> str:
    """Return a sentence without what it quotes at length."""
    return _INNER.sub("…", sentence) if any(map(sentence.__contains__, _OPENS)) else sentence


def _between_rules(lines: Sequence[str]) -> set[int]:
    """Return the lines from the first rule to the last."""
    rules = [place for place, line in enumerate(lines) if _RULE.match(line)]
    return set(range(rules[0], rules[-1] + 1)) if len(rules) > 1 else set(rules)


def _blocks(lines: Sequence[str], left_out: set[int]) -> Iterator[list[int]]:
    """Yield the places of lines that stand together; a line that introduces ends its block."""
    block: list[int] = []
    for place, line in enumerate(lines):
        if place in left_out or not line.strip():
            if block:
                yield block
            block = []
            continue
        block.append(place)
        if line.rstrip().endswith((*_COLONS, *_MARKS)) and _introduced(
            line, place + 1 < len(lines)
        ):
            yield block
            block = []
    if block:
        yield block


def _introduced(line: str, more: bool) -> int:
    """Return how much of what stands below a line it introduces as a text."""
    if not more:
        return _NONE
    if _is_request(line):
        return _REST
    return _NEXT if _is_announcement(line) else _NONE


def _is_announcement(line: str) -> bool:
    said = line.lower()
    if not _ANNOUNCES.search(said) or _OWN.search(said):
        return False
    if said.rstrip().endswith(_COLONS):
        return True
    return bool(_TEXTS.search(said) or _SENT.search(said))


def _is_request(line: str) -> bool:
    """Whether a line asks for work on a text that stands below it."""
    said = [sentence.strip() for sentence in _SENTENCE.findall(line.lower())]
    return any(_hands_over(sentence) for sentence in said if sentence)


def _hands_over(sentence: str) -> bool:
    if _OWN.search(sentence):
        return False
    introduces = sentence.endswith(_COLONS)
    points, named = _POINTING.search(sentence), _TEXTS.search(sentence)
    if _WORDING.search(sentence) and not _WORKING.search(sentence):
        short = len(sentence.split()) <= _REQUEST_WORDS
        return bool(introduces or points or named or short)
    looks = _READING.search(sentence)
    if _asks_opinion(sentence):
        return True
    if (named and (points or (looks and _MINE.search(sentence)))) or _TALK.search(sentence):
        return True
    # Of a thing that is named it may say more below, unless it ends in a colon.
    return bool(looks and points and (introduces or _BARE.search(sentence)))


def _asks_opinion(sentence: str) -> bool:
    return sentence.rstrip().endswith(_MARKS) and _OPINION.search(sentence) is not None


def _is_about_the_above(block: Sequence[str]) -> bool:
    """Whether the last lines of a prompt ask for work on all that stands before them."""
    said = " ".join(block).lower()
    if len(block) > 1 or not _ABOVE.search(said) or _OWN.search(said):
        return False
    return bool(_WORDING.search(said) or _READING.search(said) or _TEXTS.search(said))


def _comes_back(block: Sequence[str], *, after_rule: bool) -> bool:
    """Whether the last lines of a prompt are said of the text before them."""
    if len(block) > _ADDED_LINES or _HEADING.match(block[0]):
        return False
    said = " ".join(block).lower()
    return after_rule or _TURNING.search(said) is not None


def _spoken(line: str) -> str:
    """Return what a person says in a single line themselves."""
    line = _without_long(line)
    for sentence in _SENTENCE.finditer(line) if any(mark in line for mark in _MARKS) else ():
        if _asks_opinion(sentence[0].lower()):
            return line[: sentence.end()] + own_again(line[sentence.end() :])[0]
    return without_passed_on(_without_text_behind(line))[0]


def _without_text_behind(line: str) -> str:
    """Return a line without the text that it asks to put into other words."""
    head = _HEAD.match(line)
    if head is None or not _WORDING.search(head[1].lower()) or _OWN.search(head[1].lower()):
        return line
    return head[1]


def _begins_mail(block: Sequence[str]) -> bool:
    """Whether lines are the headers of a mail, or the beginning of minutes."""
    headers = sum(bool(_MAIL.match(line)) for line in block[:5])
    if headers > 1 or (headers and len(block) == 1 and _SUBJECT.match(block[0])):
        return True
    if _SALUTATION.match(block[0]):
        return True
    return any(_FORWARDED.match(line) or _MINUTES.match(line) for line in block[:2])


def _is_pasted(block: Sequence[str]) -> bool:
    """Whether lines are a quotation, a mail, or a list or a text under a heading."""
    if _is_quotation("\n".join(block)) or _HEADING.match(block[0]) or _begins_mail(block):
        return True
    titled = not _ITEM.match(block[0]) and not block[0].rstrip().endswith((*_COLONS, *".!。"))
    return titled and sum(bool(_ITEM.match(line)) for line in block[1:]) >= 2


def _is_quotation(text: str) -> bool:
    text = text.strip()
    if len(text) < _QUOTE_CHARS or text[0] not in _OPENS:
        return False
    return text[-1] in _CLOSES and text[-1] == _CLOSES[_OPENS.index(text[0])]
