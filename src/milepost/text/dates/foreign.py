"""Dates as other languages say them, put into the English that `time_words` reads.

Only what names a certain day, week, month or year is known: "vor zwei Wochen", "el mes pasado",
"3 мая 2024", "上周五". Words stand without accents, as `folded` leaves them.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from milepost.text.dates.time_words import MONTHS, WEEKDAYS
from milepost.text.languages import folded
from milepost.text.words import stem

_DAY_BEFORE, _DAY_AFTER = "day before yesterday", "day after tomorrow"
_UNITS = ("day", "week", "month", "year")


class Language(NamedTuple):
    """The words of a language, and how they are put together: a pattern and its English.

    Each form has a month, one of the days, or one of the marks.
    """

    days: dict[str, str]
    units: tuple[str, str, str, str]
    weekdays: str
    months: str
    numbers: str
    marks: str
    forms: tuple[tuple[str, str], ...]


def _of_day(mark: str, joint: str = "") -> tuple[str, str]:
    return rf"{{d}}{mark} {joint}{{month}}(?:,? (?:{joint})?{{y}})?", "{d} {month} {y}"


_LATIN = {
    "german": Language(
        {"vorgestern": _DAY_BEFORE, "gestern": "yesterday", "ubermorgen": _DAY_AFTER},
        ("tage?n?", "wochen?", "monate?n?|monats", "jahre?n?|jahres"),
        "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        "januar|janner februar marz april mai juni juli august september oktober november dezember",
        "eine?[mnr]? zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "vor letzte letzten letzter letztes vergangene vergangenen vergangener vergangenes vorige "
        "vorigen voriger voriges nachste nachsten nachster nachstes kommende kommenden kommender "
        "kommendes",
        (
            _of_day(r"\.?"),
            ("vor {n} {unit}", "{n} {unit} ago"),
            ("(?:letzte|vergangene|vorige)[nrs]? {name}", "last {name}"),
            ("(?:nachste|kommende)[nrs]? {name}", "next {name}"),
        ),
    ),
    "spanish": Language(
        {"anteayer": _DAY_BEFORE, "antes de ayer": _DAY_BEFORE, "ayer": "yesterday",
         "pasado manana": _DAY_AFTER},
        ("dias?", "semanas?", "mes(?:es)?", "anos?"),
        "lunes martes miercoles jueves viernes sabado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre "
        "diciembre",
        "una? dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "hace pasado pasada viene proximo proxima",
        (
            _of_day("", "del? "),
            ("hace {n} {unit}", "{n} {unit} ago"),
            ("(?:el|la) {name} pasad[oa]", "last {name}"),
            ("(?:el|la) pasad[oa] {name}", "last {name}"),
            ("(?:el|la) {name} que viene", "next {name}"),
            ("(?:el|la) proxim[oa] {name}", "next {name}"),
        ),
    ),
    "french": Language(
        {"avant-hier": _DAY_BEFORE, "hier": "yesterday", "apres-demain": _DAY_AFTER,
         "demain": "tomorrow"},
        ("jours?", "semaines?", "mois", "ans?|annees?"),
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "une? deux trois quatre cinq six sept huit neuf dix onze douze",
        "jour jours semaine semaines mois an ans annee annees dernier derniere passee "
        "prochain prochaine",
        (
            _of_day("(?:er)?"),
            ("il y a {n} {unit}", "{n} {unit} ago"),
            ("{name} (?:derniere?|passee)", "last {name}"),
            ("{name} prochaine?", "next {name}"),
        ),
    ),
    "italian": Language(
        {"l'altro ieri": _DAY_BEFORE, "altroieri": _DAY_BEFORE, "ieri": "yesterday",
         "dopodomani": _DAY_AFTER, "domani": "tomorrow"},
        ("giorn[oi]", "settiman[ae]", "mes[ei]", "ann[oi]"),
        "lunedi martedi mercoledi giovedi venerdi sabato domenica",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
        "dicembre",
        "un[oa]? due tre quattro cinque sei sette otto nove dieci undici dodici",
        "fa scorso scorsa prossimo prossima",
        (
            _of_day(""),
            ("{n} {unit} fa", "{n} {unit} ago"),
            ("{name} scors[oa]", "last {name}"),
            ("scors[oa] {name}", "last {name}"),
            ("prossim[oa] {name}", "next {name}"),
        ),
    ),
    "portuguese": Language(
        {"anteontem": _DAY_BEFORE, "ontem": "yesterday", "depois de amanha": _DAY_AFTER,
         "amanha": "tomorrow"},
        ("dias?", "semanas?", "mes(?:es)?", "anos?"),
        "segunda(?:-feira)? terca(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? "
        "sexta(?:-feira)? sabado domingo",
        "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
        "uma? dois|duas tres quatro cinco seis sete oito nove dez onze doze",
        "ha atras passado passada proximo proxima vem",
        (
            _of_day("", "de "),
            ("ha {n} {unit}", "{n} {unit} ago"),
            ("{n} {unit} atras", "{n} {unit} ago"),
            ("(?:[on]o|[on]?a|na) {name} passad[oa]", "last {name}"),
            ("proxim[oa] {name}", "next {name}"),
            ("{name} que vem", "next {name}"),
        ),
    ),
    "dutch": Language(
        {"eergisteren": _DAY_BEFORE, "gisteren": "yesterday", "overmorgen": _DAY_AFTER},
        ("dag(?:en)?", "we(?:ek|ken)", "maand(?:en)?", "jaar|jaren"),
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "geleden vorig vorige afgelopen volgend volgende komend komende",
        (
            _of_day(""),
            ("{n} {unit} geleden", "{n} {unit} ago"),
            ("(?:vorige?|afgelopen) {name}", "last {name}"),
            ("(?:volgende?|komende?) {name}", "next {name}"),
        ),
    ),
    "russian": Language(
        {"позавчера": _DAY_BEFORE, "вчера": "yesterday", "послезавтра": _DAY_AFTER,
         "завтра": "tomorrow"},
        ("день|дня|днеи|дней", "недел[юиь]|недель|неделе", "месяц(?:а|ев|е)?", "год(?:а|у)?|лет"),
        "понедельник вторник сред[ау] четверг пятниц[ау] суббот[ау] воскресенье",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "од(?:ин|ну) дв[ае] три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
        "назад прошлой прошлом прошлую прошлый следующей следующем следующую следующий",
        (
            _of_day(""),
            ("{n} {unit} назад", "{n} {unit} ago"),
            ("{unit} назад", "1 {unit} ago"),
            ("прошл(?:ой|ои|ом|ую|ыи|ый) {name}", "last {name}"),
            ("следующ(?:ей|еи|ем|ую|ий|ии) {name}", "next {name}"),
        ),
    ),
}  # fmt: skip
_HAN_NUMBERS = "[一1] [二两兩2] [三3] [四4] [五5] [六6] [七7] [八8] [九9] 十 十一 十二"
_HAN_DAYS = "[一1] [二2] [三3] [四4] [五5] [六6] [日天7]"
_HAN_DATE = ("(?:{y} ?年 ?)?{m} ?月 ?{d} ?[日号號]", "{y}-{m}-{d}")
_HAN = {
    "chinese": Language(
        {"前天": _DAY_BEFORE, "昨天": "yesterday", "昨晚": "yesterday", "明天": "tomorrow",
         "后天": _DAY_AFTER, "後天": _DAY_AFTER, "去年": "last year", "明年": "next year",
         "前年": "2 years ago"},
        ("天", "[个個]?(?:周|週|星期|礼拜|禮拜)", "[个個]?月", "年"),
        _HAN_DAYS,
        "",
        _HAN_NUMBERS,
        "天前 周前 週前 期前 拜前 月前 年前 上周 上週 上星 上礼 上禮 上个 上個 上月 下周 "
        "下週 下星 下礼 下禮 下个 下個 下月 月",
        (
            _HAN_DATE,
            ("{n} ?{unit}前", "{n} {unit} ago"),
            ("上(?:个|個)?(?:周|週|星期|礼拜){weekday}", "{weekday} of last week"),
            ("下(?:个|個)?(?:周|週|星期|礼拜){weekday}", "next {weekday}"),
            ("上{unit}", "last {unit}"),
            ("下{unit}", "next {unit}"),
        ),
    ),
    "japanese": Language(
        {"一昨日": _DAY_BEFORE, "おととい": _DAY_BEFORE, "昨日": "yesterday", "明日": "tomorrow",
         "明後日": _DAY_AFTER, "先週": "last week", "先月": "last month", "昨年": "last year",
         "来週": "next week", "来月": "next month", "来年": "next year"},
        ("日", "週間?", "[かヶカケ]月", "年"),
        "",
        "",
        _HAN_NUMBERS,
        "日前 間前 月前 年前 月",
        (_HAN_DATE, ("{n} ?{unit}前", "{n} {unit} ago")),
    ),
}  # fmt: skip
# 14.3.2025 is read the same way everywhere.
_FIGURES = Language(
    {},
    ("", "", "", ""),
    "",
    "",
    "",
    "",
    ((r"(?<!version )(?<!release ){d}\.{m}\.{y}", "{y}-{m}-{d}"),),
)
_LANGUAGES = _LATIN | _HAN | {"": _FIGURES}


class Phrase(NamedTuple):
    """Where a date stands, and what it is in English."""

    start: int
    end: int
    english: str


@cache
def signs() -> dict[str, frozenset[str]]:
    """Return the terms by which it is told that a text may have dates of a language."""
    return {
        name: frozenset(
            stem(folded(word))
            # What is said in several words has a mark, or a day that is one word.
            for said in (*(day for day in words.days if " " not in day), words.months, words.marks)
            for word in re.split("[ |]", said)
        )
        for name, words in (_LATIN | _HAN).items()
    }


def phrases(language: str, text: str) -> Iterator[Phrase]:
    """Yield the dates of a text in a language, of any in figures for ""."""
    expression, forms = _expression(language)
    for match in expression.finditer(_level(text)):
        english = _english(_LANGUAGES[language], forms[match.lastgroup or ""], match)
        yield Phrase(match.start(), match.end(), english)


def _level(text: str) -> str:
    """Return a text in lower case without accents, each character in its place."""
    if text.isascii():
        return text.lower()
    plain = ((character, folded(character).lower()) for character in text)
    return "".join(bare if len(bare) == 1 else character for character, bare in plain)


@cache
def _expression(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the pattern of all forms of a language, and the English of each by its group."""
    words = _LANGUAGES[language]
    forms = [(re.escape(said), english) for said, english in words.days.items()] + [*words.forms]
    # "Antes de ayer" before "ayer", a date with its year before one without.
    forms.sort(key=lambda form: -len(form[0]))
    parts = "|".join(
        f"(?P<form{number}>{_with_groups(words, pattern, number)})"
        for number, (pattern, _) in enumerate(forms)
    )
    before, after = ("(?<![0-9])", "") if language in _HAN else (r"(?<![\w.-])", r"(?!\w|\.[0-9])")
    english = {f"form{number}": said for number, (_, said) in enumerate(forms)}
    return re.compile(f"{before}(?:{parts}){after}"), english


def _with_groups(words: Language, pattern: str, number: int) -> str:
    """Return a pattern with what may stand in each slot, in a group of the slot's name."""
    units, weekdays = "|".join(words.units), "|".join(words.weekdays.split())
    slots = {
        # Twelve before one: it may begin with it.
        "n": f"[0-9]{{1,2}}|{'|'.join(words.numbers.split()[::-1])}",
        "unit": units,
        "weekday": weekdays,
        "name": f"{units}|{weekdays}",
        "month": "|".join(words.months.split()),
        "d": "[0-3]?[0-9]",
        "m": "[01]?[0-9]",
        "y": "(?:19|20)[0-9]{2}",
    }
    for slot, choices in slots.items():
        pattern = pattern.replace(f"{{{slot}}}", f"(?P<{slot}_{number}>{choices})")
    return pattern


def _english(words: Language, form: str, match: re.Match[str]) -> str:
    """Return the English of a form with what its slots hold."""
    groups = match.groupdict().items()
    held = {name.partition("_")[0]: said for name, said in groups if said and "_" in name}
    if "y" not in held and "m" in held:
        return f"{int(held['d'])} {MONTHS[(int(held['m']) - 1) % 12]}"
    for slot, said in held.items():
        form = form.replace(f"{{{slot}}}", _word(words, slot, said))
    return form.removesuffix(" {y}")


def _word(words: Language, slot: str, said: str) -> str:
    if said.isdecimal():
        return said.zfill(2) if slot in ("d", "m") else said
    tables = {
        "n": [(number, str(i)) for i, number in enumerate(words.numbers.split(), 1)],
        "month": list(zip(words.months.split(), MONTHS, strict=False)),
        "weekday": list(zip(words.weekdays.split(), WEEKDAYS, strict=False)),
        "unit": list(zip(words.units, _UNITS, strict=True)),
    }
    tables["name"] = tables["unit"] + tables["weekday"]
    return next(english for known, english in tables.get(slot, ()) if re.fullmatch(known, said))
