"""What a person pasted into a prompt, told from what they say in it themselves.

A plan, a ticket, a log or somebody's rules are full of "always" and "we decided", and none of it is
the will of who pasted them. What stands between rules, behind signs of quotation, under a heading
or after "here is the plan:" is taken for pasted; precision first, so a list under a title of its
own is too.
"""

from __future__ import annotations

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
# A quotation inside a sentence that is longer than a name.
_INNER = lazy(
    r"\"[^\"\n]{25,}\"|“[^”\n]{25,}”|„[^“”\n]{25,}[“”]|«[^»\n]{25,}»|「[^」\n]{10,}」|『[^』\n]{10,}』"
)
# How people announce what others wrote, in the languages that sessions are held in.
_ANNOUNCES = lazy(
    r"(?i)\bpast(?:e|ed|ing)\b|\bsent\b|\bforwarded\b|\bcop(?:y|ied)\b|\bhere(?:'s| is| are)\b"
    r"|\bfrom the (?:tracker|ticket|issue|wiki|docs?|readme|log|mail|thread)\b|\bwrote\b|\bsays?:"
    r"|\baccording to\b|\breport\b|\bguide(?:line)?s?\b|\bthe plan\b"
    r"|geschickt|weitergeleitet|eingefügt|kopier|\bhier (?:ist|der|die|das)\b|schreibt|auszug"
    r"|aus dem (?:ticket|issue|wiki|log)|envoyé|\bcolle|copie|transmis|\bvoici\b|extrait|charte"
    r"|\bcopio\b|\bpego\b|enviad|mandad|\baquí (?:está|va|tienes)|\bcol(?:o|ei|ando)\b|enviou"
    r"|mandou|\bsegue\b|incoll|inviat|mandat|\becco\b|gestuurd|\bplak|\bhier is\b|wklej|przysła"
    r"|przesła|wysła|\boto\b|vklád|posla|\btady je\b|прислал|вставля|скопиров|пересла|копиру"
    r"|\bвот\b|надісла|копію|\bось\b|gönder|yapıştır|kopyala|iletti|\bişte\b|贴|发来|发给|转发|以下是"
    r"|这是|貼|送って|転送|届い|以下|コピペ|붙여|보내|전달|다음은|복사|أرسل|نسخت|ألصق|إليك"
)
# Who says what they want announces words of their own.
_OURS = lazy(r"(?i)\b(?:i|we) (?:want|need|decided|would like)\b|\bich will\b|\bwir wollen\b")


def own_words(text: str) -> str:
    """Return what a person says in a prompt themselves; pasted lines are left out."""
    if "```" in text or "~~~" in text:
        text = FENCE.sub("\n", text)
    if "\n" not in text:
        return "" if _is_quotation(text) else text
    lines = text.splitlines()
    left_out = _between_rules(lines)
    announced, end = False, -1
    for block in list(_blocks(lines, left_out)):
        said = [lines[place] for place in block]
        # What was announced may have stood between rules already.
        announced = announced and left_out.isdisjoint(range(end + 1, block[0]))
        if announced or _is_pasted(said):
            left_out.update(block)
            announced = False
        else:
            left_out.update(p for p in block if _QUOTED.match(lines[p]) or _LOG.match(lines[p]))
            announced = _is_announcement(said[-1])
        end = block[-1]
    return "\n".join("" if place in left_out else line for place, line in enumerate(lines))


def without_quotations(sentence: str) -> str:
    """Return a sentence without what it quotes at length."""
    return _INNER.sub("…", sentence)


def _between_rules(lines: Sequence[str]) -> set[int]:
    """Return the lines from the first rule to the last."""
    rules = [place for place, line in enumerate(lines) if _RULE.match(line)]
    return set(range(rules[0], rules[-1] + 1)) if len(rules) > 1 else set(rules)


def _blocks(lines: Sequence[str], left_out: set[int]) -> Iterator[list[int]]:
    """Yield the places of lines that stand together; a line that announces ends its block."""
    block: list[int] = []
    for place, line in enumerate(lines):
        if place in left_out or not line.strip():
            if block:
                yield block
            block = []
            continue
        block.append(place)
        if _is_announcement(line):
            yield block
            block = []
    if block:
        yield block


def _is_announcement(line: str) -> bool:
    if not line.rstrip().endswith((":", "：")) or not _ANNOUNCES.search(line):
        return False
    return _OURS.search(line) is None


def _is_pasted(block: Sequence[str]) -> bool:
    """Whether lines are a quotation, or a list or a text under a heading."""
    if _is_quotation("\n".join(block)) or (_HEADING.match(block[0]) and len(block) > 1):
        return True
    titled = not _ITEM.match(block[0]) and not block[0].rstrip().endswith(
        (":", "：", ".", "!", "。")
    )
    return titled and sum(bool(_ITEM.match(line)) for line in block[1:]) >= 2


def _is_quotation(text: str) -> bool:
    text = text.strip()
    if len(text) < _QUOTE_CHARS or text[0] not in _OPENS:
        return False
    return text[-1] in _CLOSES and text[-1] == _CLOSES[_OPENS.index(text[0])]
