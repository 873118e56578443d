"""Whether a newer statement overturns an older one: it names what held before, or another number.

Precision first: to hide what still holds is worse than to keep what does not. Either the new one
says what it is against ("from 180 to 220", "instead of Redux") and the old one says just that, or
both give a number of the same thing. What the old one is against itself, or warns of, it does not
say.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from milepost.text.change_words import AGAINST
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
_FIRST_UNSPACED = "\u3040"
# Scripts without spaces, in which names of programs stand among the words.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_TOKEN = re.compile(
    rf"(?<![a-z\d])\d+(?:[.,:]\d+)*(?!\d|(?:st|nd|rd|th)\b)|[a-z]+\d[a-z\d]*"
    rf"|[{_UNSPACED}]+|[^\W\d_{_UNSPACED}]+"
)
# Two characters of a word, and none of those that only bend it.
_UNSPACED_WORD = re.compile("[\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
# CI, QA, UI.
_SHORT = re.compile(r"(?<![\w./-])[A-Z]{2}(?![\w/-]|\.\w)")
_AGAINST_IT = frozenset(
    map(
        stem,
        """
        never not no against avoid dont don without nie niemals nicht kein keine keinen gegen ohne
        jamais pas contre sans nunca contra sin sem não mai non senza nooit niet geen tegen zonder
        nigdy bez nikdy ne proti никогда не без против ніколи проти
        """.split(),
    )
)
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
        within until more less than one ones take takes taking go goes going gone get gets drop
        ditch decide decided agree agreed choose chose chosen keep kept run runs running write
        written wrote send sent store stored live lives work works put done doing let lets bitte por
        favor merci proszę prosím пожалуйста lütfen migrate migrated migrating pick picked settle
        settled stop stopped rip throw out away off leaving
        """.split(),
    )
)
# The same in other languages, and their small words; some are names elsewhere.
_GENERIC_ABROAD = frozenset(
    map(
        stem,
        """
        haben wir uns entschieden beschlossen geeinigt gewählt entscheiden ersetze ersetzen ersetzt
        wechseln wechsle wechselt tausche tauschen tauscht nehmen nimm nutzen nutze benutzen
        benutze verwenden verwende avons nous choisi décidé opté utiliser utilise utilisons
        remplace remplacer remplaçons passe passons prends prenons quitte quittons abandonne
        hemos decidido decidimos elegido elegimos usar usamos usa cambia cambiar cambiamos
        cambiemos sustituye sustituir sustituimos reemplaza reemplazar reemplazamos migramos pasamos
        für mit von vom zum zur bei beim durch auf statt nicht mehr pour par avec dans sur des les
        une aux vers para por con los las una del per nella della voor door met naar van het een
        przez dla pod jest jako mezi před для через или который için ile
        """.split(),
    )
)
_NEAR = 4
# A word may be said in another form: deploy, deployment.
_BEGINNING = 5
# Who only names the old and the new says no more than that, and may mean the one choice there is.
_QUALIFIED = re.compile(
    r"(?i)\b(?:for|in|on|as|at|of|when|where|inside|für|bei|beim|zum|im|als|pour|dans|comme|para|en"
    r"|no|na|como|per|come|voor|do|w|dla|pro|для|в|у|за|як|как|için)\b|[()/\\]|(?<![^\W_])\d|\.\w"
)
# A name with a dot is no file: Fly.io, Node.js.
_DOTTED = re.compile(
    r"\b(?:[A-Z]\w*\.(?:io|com|net|org|dev|ai|app|sh)"
    r"|(?i:node|next|nuxt|vue|three|express|ember|solid)\.js)\b"
)
_ARTICLE = re.compile(
    r"(?i)^(?:the|a|an|this|that|these|those|my|der|die|das|den|le|la|les|el|los|il|lo)\b"
)
_CHOICE_WORDS = 3
# Stands for what a text is against in what it says beside that: words before and after it are no
# name together.
_GAP = " 0 "
_NAME_MIN = 4
_DIGIT = re.compile(r"\d")
# Words that are quoted, and lines, are replaced in a text; nothing is decided.
_QUOTES = "\"'“„«»‘「『"
_EDIT = re.compile(r"\b(?:lines?|zeilen?|lignes?|líneas?|linhas?|riga|righe|regel|строк\w+) \d")
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
    about = _subject(new) & _subject(old)
    for phrase in phrases:
        named = _named(phrase) or _alone(phrase, old)
        if phrase.lower() == old.lower().rstrip(".!。"):
            return True
        if not named or not says(old, named):
            continue
        # What the new one says beside it must be of the same thing.
        beside = about.difference(named)
        names = [token for token in named if not token[0].isdigit()]
        if beside or len(names) >= 2:
            return True
    return False


def is_against_something(text: str) -> bool:
    """Tell whether a statement says what it is against."""
    return bool(_phrases(text))


def may_overturn(new: str, old: str) -> bool:
    """Tell whether a statement is against what an older one chooses, and names nothing else."""
    for phrase, rest in _changes(new):
        named = _named(phrase) or _alone(phrase, old)
        said = _DOTTED.sub("", f"{phrase}, {rest.replace(_GAP, ', ')}")
        bare = not _ARTICLE.match(phrase) and not _QUALIFIED.search(said)
        if bare and named and says(old, named) and _things(rest) <= 1:
            return len(_subject(old).difference(named)) < _CHOICE_WORDS
    return False


def _things(text: str) -> int:
    """Return how many things a text names; words in a row are one."""
    told = [t in _subject(text) or t[0] >= _FIRST_UNSPACED for t in _tokens(text)]
    return sum(now and not before for before, now in zip([False, *told], told, strict=False))


def _named(phrase: str) -> list[str]:
    """Return the words and numbers by which a phrase names something."""
    telling = {stem(word) for word in content_words(phrase.lower())} - _GENERIC - _GENERIC_ABROAD
    telling = {word for word in telling if len(word) > 1}
    return [token for token in _tokens(phrase) if token in telling or _DIGIT.search(token)]


def _alone(phrase: str, old: str) -> list[str]:
    """Return the word that a phrase is, if it is a name though a plain word elsewhere: Go, Jest."""
    if not phrase.isalpha():
        return []
    abroad = len(phrase) >= _NAME_MIN and stem(phrase.lower()) not in _GENERIC
    proper = phrase[0].isupper() and re.search(rf"(?<=\w )\b{phrase}\b", old)
    return list(_tokens(phrase)) if abroad or proper else []


def says(old: str, named: Sequence[str]) -> bool:
    """Whether a text has all of some words, and has them as what holds."""
    tokens = _tokens(old)
    if not all(_is_among(name, set(tokens)) for name in named):
        return False
    denied = {token for phrase in _phrases(old) for token in _tokens(phrase)}
    for place, token in enumerate(tokens):
        if token in _AGAINST_IT:
            denied.update(tokens[place + 1 : place + _NEAR])
    return all(_is_among(name, set(tokens) - denied) for name in named)


def _is_among(name: str, said: set[str]) -> bool:
    if name in said or len(name) < _BEGINNING:
        return name in said
    return any(
        len(word) >= _BEGINNING and (word.startswith(name) or name.startswith(word))
        for word in said
    )


def _gives_another_number(new: str, old: str) -> bool:
    """Whether both put a number to the same thing, and not the same number."""
    mine = _measures(new)
    other = _measures(old) if mine else {}
    about = _subject(new) & _subject(old)
    for word in mine.keys() & other.keys():
        (values, units, beside), (others, other_units, others_beside) = mine[word], other[word]
        if beside and others_beside and not beside & others_beside:
            return True
        same = len(about) > 1 or _subject(new) == _subject(old)
        if not values & others and units & other_units and same:
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
    # In small letters a name is one word, whatever it is made of: MySQL.
    words = (stem(word) for word in content_words(text.lower()))
    telling = (w for w in words if (len(w) > 2 and w.isalpha()) or _UNSPACED_WORD.fullmatch(w))
    return (frozenset(telling) - _GENERIC - _GENERIC_ABROAD).union(
        map(str.lower, _SHORT.findall(text))
    )


def _phrases(text: str) -> list[str]:
    """Return what a text says that it is against."""
    return [phrase for phrase, _ in _changes(text)]


@lru_cache(_CACHED)
def _changes(text: str) -> tuple[tuple[str, str], ...]:
    """Return what a text says that it is against, each with what it says beside that."""
    said = text.lower()
    # Names are told by their capitals, where small letters are as many.
    told = text if len(text) == len(said) else said
    if _EDIT.search(said):
        return ()
    matches = [match for pattern in _against() for match in pattern.finditer(said)]
    return tuple(
        (told[slice(*match.span(group))], _rest(match, told))
        for match in matches
        if (group := _old(match)) and match[group][0] not in _QUOTES
    )


def _old(match: re.Match[str]) -> str:
    """Return by which name a match has what held before."""
    groups = match.groupdict()
    return next((name for name, said in groups.items() if said and name != "beside"), "")


def _rest(match: re.Match[str], text: str) -> str:
    """Return what a text says beside a match, and within it."""
    within = text[slice(*match.span("beside"))] if "beside" in match.re.groupindex else ""
    return f"{text[: match.start()]} {within}{_GAP}{text[match.end() :]}"


@lru_cache(_CACHED)
def _tokens(text: str) -> tuple[str, ...]:
    numbers = (_NUMBERS.get(token, token) for token in _TOKEN.findall(text.lower()))
    return tuple(n.replace(",", ".") if n[0].isdigit() else stem(n) for n in numbers)


@cache
def _against() -> Sequence[re.Pattern[str]]:
    return [re.compile(line) for line in AGAINST.strip().splitlines()]
