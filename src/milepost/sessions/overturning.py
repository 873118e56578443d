"""Whether a newer statement overturns an older one: it names what held before, or another number.

Precision first: to hide what still holds is worse than to keep what does not. Either the new one
says what it is against ("from 180 to 220", "instead of Redux") and the old one says just that, or
both give a number of the same thing.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from milepost.sessions.change_words import AGAINST
from milepost.text.words import content_words, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# One is an article as well, and counts nothing by itself.
_NUMBERS = {
    word: str(number)
    for words in (
        "two three four five six seven eight nine ten eleven twelve",
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "deux trois quatre cinq six sept huit neuf dix onze douze",
        "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), 2)
}
_TOKEN = re.compile(r"(?<![a-z\d])\d+(?:[.,:]\d+)*|[^\W\d_]+")
# What says only that something changes, or how much of it.
_GENERIC = frozenset(
    map(
        stem,
        """
        change make set put replace swap move switch raise lower bump use using actually
        instead now then again please also keep want need really max maximum minimum
        default value limit number time times new old back long short small large high
        low good better every each per only second seconds minute minutes hour hours day
        days week weeks month months year years tag tage tagen stunde stunden sekunden
        minuten woche wochen jour jours heure heures seconde secondes semaine semaines
        día días dia dias hora horas segundo segundos minuto minutos semana semanas
        giorno giorni ora ore secondi minuti dag dagen uur seconden minuten dzień dni
        godzin sekund minut den hodin день дня дней часов минут секунд днів годин хвилин
        gün saat dakika saniye 天 小时 分钟 秒 日 時間 分 일 시간 분 초 يوم ساعة ms kb mb gb tb utc
        euro eur usd percent commit committed give gives after before up down over under
        within until more less than bitte por favor merci proszę prosím пожалуйста
        lütfen
        """.split(),
    )
)
_NEAR = 4
# The memories of a project are compared with every statement.
_CACHED = 4_096


def overturns(new: str, old: str, *, changes: bool = True) -> bool:
    """Tell whether a statement takes the place of an older one.

    changes: whether the new one says that something changes, so that another number is enough.
    """
    return _is_against(new, old) or (changes and _gives_another_number(new, old))


def names_former(text: str) -> bool:
    """Tell whether a text says what it is against: what held before."""
    return bool(_phrases(text))


def _is_against(new: str, old: str) -> bool:
    """Whether the new one names what it is against, and the old one says that."""
    phrases = _phrases(new)
    if not phrases:
        return False
    said, about = set(_tokens(old)), _subject(new) & _subject(old)
    for phrase in phrases:
        telling = {stem(word) for word in content_words(phrase)} - _GENERIC
        named = [token for token in _tokens(phrase) if token in telling or token[0].isdigit()]
        if not named or not said.issuperset(named):
            continue
        # What the new one says beside it must be of the same thing.
        beside = about.difference(named)
        names = [token for token in named if not token[0].isdigit()]
        if beside or len(names) >= 2:
            return True
    return False


def _gives_another_number(new: str, old: str) -> bool:
    """Whether both put a number to the same thing, and not the same number."""
    mine = _measures(new)
    other = _measures(old) if mine else {}
    about = _subject(new) & _subject(old)
    for word in mine.keys() & other.keys():
        (values, units, beside), (others, other_units, others_beside) = mine[word], other[word]
        if beside and others_beside and not beside & others_beside:
            return True
        if not values & others and units & other_units and len(about) > 1:
            return True
    return False


@lru_cache(_CACHED)
def _measures(text: str) -> dict[str, tuple[set[str], set[str], set[str]]]:
    """Return by telling word the numbers close to it, their units, and those right beside it."""
    tokens, telling = _tokens(text), _subject(text)
    measures: dict[str, tuple[set[str], set[str], set[str]]] = {}
    for place, token in enumerate(tokens):
        if not token[0].isdigit():
            continue
        units = {unit for unit in tokens[place + 1 : place + 2] if not unit[0].isdigit()}
        for at, word in enumerate(tokens[: place + _NEAR + 1]):
            if word in telling and at >= place - _NEAR:
                values, known, beside = measures.setdefault(word, (set(), set(), set()))
                values.add(token)
                known |= units
                beside |= {token} if abs(at - place) == 1 else set()
    return measures


@lru_cache(_CACHED)
def _subject(text: str) -> frozenset[str]:
    """Return the words that tell what a text is about."""
    words = (stem(word) for word in content_words(text))
    telling = (word for word in words if len(word) > 2 and word.isalpha())
    return frozenset(telling) - _GENERIC


@lru_cache(_CACHED)
def _phrases(text: str) -> tuple[str, ...]:
    """Return what a text says that it is against."""
    matches = (match for pattern in _against() for match in pattern.finditer(text.lower()))
    return tuple(next(filter(None, match.groupdict().values())) for match in matches)


@lru_cache(_CACHED)
def _tokens(text: str) -> tuple[str, ...]:
    numbers = (_NUMBERS.get(token, token) for token in _TOKEN.findall(text.lower()))
    return tuple(n.replace(",", ".") if n[0].isdigit() else stem(n) for n in numbers)


@cache
def _against() -> Sequence[re.Pattern[str]]:
    return [re.compile(line) for line in AGAINST.strip().splitlines()]
