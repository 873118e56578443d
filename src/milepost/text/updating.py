"""Whether a newer text gives another value to what an older one says.

Either it says what it is against or what is gone, and the older one says just that; or both give a
value to the same subject, and not the same value. What only might be, was before, holds besides or
holds elsewhere changes nothing.
"""

from __future__ import annotations

import re

from milepost.text.claims import (
    CHARACTERS_MAX,
    LIGHT_WORD,
    MOOD,
    NAME,
    NUMBER,
    Claim,
    Part,
    claim,
    is_value,
)
from milepost.text.overturning import overturns
from milepost.text.restating import is_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# What is less alike than this speaks of two things.
_LIKENESS = 0.3
# So much of what the older says beside its value the newer must say, if it says that it changes
# something and if it does not.
_COVERED_CHANGING, _COVERED = 0.5, 0.6
# What the newer may say before its value that the older does not, where it announces no change.
_EXTRA = 1
# A value that is no number is so many words at most, of a subject of so many at least.
_VALUE_WORDS, _SUBJECT_WORDS = 3, 2
_WRITTEN_CHARS = 60
# The newer says that something is another now.
_CHANGES = re.compile(
    r"(?i)\b(?:now|no longer|any ?more|from (?:now|here) on|as of|effective|instead|since|"
    r"switch(?:ed|ing)?|mov(?:ed|ing)|migrat\w+|changed|chang(?:es|ing) to|rais\w+|lower(?:ed|ing)|"
    r"bump\w*|upgrad\w+|downgrad\w+|reduc\w+|increas\w+|decreas\w+|cut|postponed|rescheduled|renamed|"
    r"replac\w+|swapped|became|new|updated|rewr[io]t\w+|t(?:ook|aken) over|handed|"
    r"jetzt|nun|nicht mehr|ab (?:sofort|jetzt|heute)|künftig|neue\w?|umgestellt|umgezogen|"
    r"gewechselt|geändert|erhöht|gesenkt|verschoben|statt|"
    r"maintenant|désormais|dorénavant|nouve(?:au|l|lle)|remplac\w+|"
    r"ahora|ya no|nuev[oa]|a partir de|cambi(?:a|ó|amos)|pas(?:a|ó|amos) a|reemplaz\w+|sub(?:e|ió)|"
    r"baj(?:a|ó))\b|改|换成|迁|不再|现在|起|调整|升级|已经"
)
# The newer speaks of something beside, of another time, or of what others think.
_BESIDE = re.compile(
    r"(?i)\b(?:also|too|as well|besides|another|both|asked (?:whether|if|for|in)|wonder\w*|discuss\w*|"
    r"no decision|undecided|some ?day|idea|propos\w+|suggest\w*|consider\w*|thinking (?:of|about)|"
    r"would|might|maybe|perhaps|until|back then|at first|originally|this (?:week|month|time)|today|"
    r"tomorrow|yesterday|temporar\w+|for once|exception\w*|only for|last|old|"
    r"auch|ebenfalls|vielleicht|überleg\w*|vorschlag\w*|früher|damals|diese woche|ausnahmsweise|"
    r"aussi|également|peut-être|proposé\w*|autrefois|cette semaine|"
    r"también|además|quizás?|propuso|antes|esta semana)\b|[?？]\s*$|建议|讨论|还没|也"
)
# What is gone, after its name, and what leaves it, before its name.
_GONE = re.compile(
    r"(?i)^[\w.-]*(?: \w+)? (?:(?:is|are|was|were|has been|have been|got) )?(?:gone|removed|retired|"
    r"given away|deleted|dropped|deprecated|shut down|switched off|turned off|decommissioned|sold|"
    r"cancell?ed|discontinued|out of|fell through|left|moved to|went away|is out|are out|"
    r"ist (?:weg|raus)|abgeschaltet|entfernt|gelöscht|gekündigt|verkauft|ausgeschieden|"
    r"(?:a été )?(?:supprimé|retiré|abandonné)|(?:se )?(?:borró|eliminó|quitó)|está de baja|dejó)"
)
_LEAVING = re.compile(
    r"(?i)(?:\b(?:off|away from|swap(?:ped)?|replac(?:ed|es|ing)|dropped|removed|retired|from|not|"
    r"no longer|instead of|rather than|weg von|statt|nicht mehr|ersetzt|remplacé|au lieu de|"
    r"en vez de|ya no)|不再用?|从)\s*(?:the |a |an |den |die |das |le |la |el )?$"
)
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|\n|[。；，]")
_ENVIRONMENTS = frozenset(
    """
    production staging stage development local locally test testing qa ci preview sandbox demo
    io android web desktop mobile tablet window linux maco backend frontend
    produktion lokal producción locale
    """.split()
)
# The older says where, how or by whom something is: there is one answer at a time.
_SINGLE = re.compile(
    r"(?i)\b(?:is|are|ist|sind|wird|werden|est|sont|es|son|está|están|lives?|goes|comes?|costs?|"
    r"belongs?|owns?|runs?|starts?|begins?|opens?|closes?|ends?|expires?|kostet|wohnt|liegt|läuft|"
    r"coûte|habite|cuesta|vive)\b|[:=]|是|为"
)


def update_of(old: str, new: str, likeness: float) -> str | None:
    """Return what changed, in words; None where both may hold."""
    if likeness < _LIKENESS or max(len(old), len(new)) > CHARACTERS_MAX:
        return None
    first, second = claim(old), claim(new)
    if "ask" in first.moods | second.moods or not _tells_what_holds(new, 0):
        return None
    gone = _gone(first, new, second)
    if gone is not None or overturns(new, old, changes=False):
        return f"{_clip(old)} → {_clip(new)}"
    if _elsewhere(first, second):
        return None
    changing = _CHANGES.search(new) is not None
    if not changing and "past" in second.moods - first.moods:
        return None
    return (
        _another_value(first, new, second, changing=changing)
        or _another_word(old, first, new, second, changing=changing)
        or _turned(old, first, new, second)
    )


def _clause(text: str, place: int) -> str:
    """Return the clause of a text that stands at a place."""
    begin = max((m.end() for m in _CLAUSE.finditer(text, 0, place)), default=0)
    end = _CLAUSE.search(text, place)
    return text[begin : end.end() if end else len(text)]


def _tells_what_holds(new: str, place: int) -> bool:
    """Whether the clause at a place says what holds now, and in place of something."""
    clause = _clause(new, place)
    moods = claim(clause).moods
    return not moods & {"may", "if", "ask", "too", "will", "only", "ought"} and not _BESIDE.search(
        clause
    )


def _elsewhere(old: Claim, new: Claim) -> bool:
    """Whether the newer names another environment than the older."""
    mine, others = ({p.key for p in each.parts} & _ENVIRONMENTS for each in (old, new))
    return bool(others - mine) and bool(mine)


def _gone(old: Claim, new: str, said: Claim) -> str | None:
    """Return what the older says and of which the newer says that it is gone."""
    known = {part.key for part in old.parts if _tells(part)}
    for part in said.parts:
        if part.key not in known or not _tells(part):
            continue
        named = part.kind == NAME or part.written[0].isupper()
        if not named:
            continue
        if _GONE.match(new[part.start :]) or _LEAVING.search(new[: part.start]):
            return part.key
    return None


def _another_value(old: Claim, new: str, said: Claim, *, changing: bool) -> str | None:
    """Return how a value of the older became another in the newer, about the same subject."""
    for part in filter(is_value, old.parts):
        others = [other for other in said.parts if is_value(other) and other.kind == part.kind]
        if not others or part.key in {other.key for other in others}:
            continue
        for other in others:
            if not _tells_what_holds(new, other.start):
                continue
            named = changing and _name_before(old, part) & _name_before(said, other)
            if named or (
                _one_measure(old, part, said, other)
                and _one_subject(old, said, other, changing=changing)
            ):
                return _told(old, part, other)
    return None


def _name_before(whole: Claim, part: Part) -> set[str]:
    """Return the name that a number belongs to: iOS 17."""
    if part.kind != NUMBER:
        return set()
    place = whole.parts.index(part)
    near = whole.parts[max(place - 2, 0) : place]
    return {each.key for each in near if each.kind == NAME or each.written[:1].isupper()}


def _one_measure(old: Claim, part: Part, new: Claim, other: Part) -> bool:
    """Whether two numbers count the same thing, or belong to the same name."""
    return part.kind != NUMBER or bool(_beside(old, part) & _beside(new, other))


def _beside(whole: Claim, part: Part) -> set[str]:
    place = whole.parts.index(part)
    near = whole.parts[max(place - 1, 0) : place] + whole.parts[place + 1 : place + 2]
    return {each.key for each in near if _tells(each)}


def _one_subject(old: Claim, new: Claim, other: Part, *, changing: bool) -> bool:
    """Whether what stands beside two values is the same, as far as that can be seen."""
    about = [part for part in old.parts if _tells(part)]
    others = [part for part in new.parts if _tells(part)]
    shared = [part for part in about if _is_among(part, others)]
    least = _COVERED_CHANGING if changing else _COVERED
    if not shared or len(shared) < least * len(about):
        return False
    if changing:
        return True
    before = [part for part in others if part.end <= other.start and not _is_among(part, about)]
    return len(before) <= _EXTRA and _is_among(about[0], others) and _is_among(others[0], about)


def _another_word(old: str, first: Claim, new: str, second: Claim, *, changing: bool) -> str | None:
    """Return how what is no number became another: the subject is the same, the end differs."""
    about = [part for part in first.parts if _tells(part) or is_value(part)]
    others = [part for part in second.parts if _tells(part) or is_value(part)]
    missing = [part for part in about if not _is_among(part, others)]
    fresh = [part for part in others if not _is_among(part, about)]
    shared = len(about) - len(missing)
    if not missing or not fresh or missing[-1] is not about[-1] or missing[0] is about[0]:
        return None
    if not _tells_what_holds(new, fresh[0].start) or first.moods ^ second.moods:
        return None
    if not changing:
        if shared < _SUBJECT_WORDS or len(missing) > _VALUE_WORDS or not _SINGLE.search(old):
            return None
        if shared < _COVERED * len(about) or len(fresh) > 2 * _VALUE_WORDS:
            return None
        if fresh[0].start < others[shared - 1].start or not _is_among(others[0], about):
            return None
    elif shared < _COVERED_CHANGING * len(about):
        return None
    return f"{_span(old, missing)} became {_span(new, fresh)}"


def _turned(old: str, first: Claim, new: str, second: Claim) -> str | None:
    """Return what became of a claim of which the newer says the contrary."""
    about = [part for part in first.parts if part.kind != LIGHT_WORD and part.kind != MOOD]
    others = [part for part in second.parts if part.kind != LIGHT_WORD and part.kind != MOOD]
    fresh = sum(not _is_among(part, about) for part in others)
    if first.moods ^ second.moods != {"not"} or len(about) < _SUBJECT_WORDS:
        return None
    same = all(_is_among(part, others) for part in about)
    return f"{_clip(old)} → {_clip(new)}" if same and fresh <= _EXTRA else None


def _is_among(part: Part, others: Sequence[Part]) -> bool:
    return any(part.key == other.key or is_form(part, other) for other in others)


def _tells(part: Part) -> bool:
    return not is_value(part) and part.kind not in (MOOD, LIGHT_WORD)


def _told(old: Claim, part: Part, other: Part) -> str:
    subject = " ".join(p.written for p in old.parts if _tells(p))
    return f"{_clip(subject)}: {part.written} became {other.written}"


def _span(text: str, parts: Sequence[Part]) -> str:
    return _clip(text[parts[0].start : parts[-1].end])


def _clip(text: str) -> str:
    return text if len(text) <= _WRITTEN_CHARS else text[: _WRITTEN_CHARS - 1].rstrip() + "…"
