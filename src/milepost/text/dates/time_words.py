"""The vocabulary of time: the words it knows and the expressions they form."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache

_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS = {word: value for value, word in enumerate(_ONES + _TEENS, start=1)}
NUMBERS |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
VAGUE = {"couple": (2, 2), "few": (2, 5), "several": (3, 7)}
CLOCK = {unit: timedelta(**{f"{unit}s": 1}) for unit in ("second", "minute", "hour")}
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december".split()
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
DAYPARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
RELATIVE_DAYS = {
    "day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
}

_N = (
    rf"(?:[0-9]{{1,4}}|(?:{'|'.join(_TENS)})[ -](?:{'|'.join(_ONES)})|{'|'.join(NUMBERS)}"
    r"|(?:an? )?(?:couple(?: of)?|few)|several|an?)"
)
_CALENDAR_UNIT = "week|month|quarter|year"
_UNIT = f"(?:day|{_CALENDAR_UNIT}|{'|'.join(CLOCK)})"
_DAY_NUMBER = "[0-3]?[0-9]"
_ORDINAL = "(?:st|nd|rd|th)?"
_DASH = "(?: ?[-\u2013] ?| (?:to|and|or|through|until) )"
_DAYPART = "(?: (?P<{}>morning|afternoon|evening|night))?"
# Sun is a company; mar, sep and dec are words of a programmer unless they are capitalised.
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)}|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat))"
_MONTH = rf"(?:{'|'.join(MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_LONE_MONTH = (
    rf"(?:{'|'.join(MONTHS)}|(?:jan|feb|apr|jun|jul|aug|sept|oct|nov|(?-i:Mar|Sep|Dec))\b\.?)"
)


def _year(name: str) -> str:
    return (
        rf"(?:,? (?:of )?(?:(?P<{name}>(?:19|20)[0-9]{{2}})|(?P<{name}_which>last|this) year)"
        rf"| ['\u2019](?P<{name}_short>[0-9]{{2}}))"
    )


# The alternatives are tried in this order inside one atomic group, so that a long expression that
# turns out not to be a time is never cut down to a shorter one that looks like a time.
_PATTERNS = {
    "quoted": r"`[^`]{0,200}`|\"[^\"]{0,200}\"|\u201c[^\u201d]{0,200}\u201d|https?://\S+",
    "iso": r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}(?P<clock>[T ][0-9]{2}:[0-9]{2}"
    r"(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    "quarter_year": rf"(?P<qy_lead>(?:19|20)[0-9]{{2}})[ -]?Q(?P<qy_after>[1-4])"
    rf"|Q(?P<qy>[1-4]){_year('qy_year')}",
    "iso_month": r"(?:19|20)[0-9]{2}-[01][0-9]",
    "relative_day": rf"(?:the )?(?P<rd>{'|'.join(RELATIVE_DAYS)}){_DAYPART.format('rd_part')}",
    "day_part": r"(?P<dp_this>this) (?P<dp>morning|afternoon|evening)|tonight|last night",
    "which_weekday": rf"(?:(?P<ww>last|past|previous|this|next) (?P<ww_name>{_WEEKDAY})\b"
    rf"|(?P<ww_name2>{_WEEKDAY}),? (?:of )?(?P<ww_week>last|this) week)"
    rf"{_DAYPART.format('ww_part')}",
    "weekday": rf"(?P<wd>{_WEEKDAY})\b{_DAYPART.format('wd_part')}",
    "ago": rf"(?P<ago_half>half )?(?P<ago_n>{_N})(?:{_DASH}(?P<ago_to>{_N}))?"
    rf" (?P<ago_unit>{_UNIT})s?(?P<ago_or> or (?:so|two))? ago",
    "before_last": rf"(?:the )?(?P<bl>{_CALENDAR_UNIT}) before last"
    rf"(?: (?P=bl)\b|\b(?! (?:{_WEEKDAY}|{_MONTH}|{_CALENDAR_UNIT})))",
    "recent_one": r"the (?:last|past) (?P<ro>day|minute|second)",
    "recent": rf"(?:the )?(?:last|past|previous) (?P<re>{_N}) (?P<re_unit>{_UNIT})s?"
    r"|(?:the past|past|the last) (?P<re_one>hour|day|week|month|year)|last (?P<re_hour>hour)",
    "period": rf"(?:the )?(?P<pe>this|current|last|past|previous|next)"
    rf" (?P<pe_unit>weekend|{_CALENDAR_UNIT})",
    "day_of_month": rf"(?:the )?(?P<dm>{_DAY_NUMBER}){_ORDINAL}"
    rf"(?:{_DASH}(?:the )?(?P<dm_to>{_DAY_NUMBER}){_ORDINAL})?(?: of)?"
    rf" (?P<dm_month>{_MONTH})(?:{_year('dm_year')})?"
    rf"|(?P<md_month>{_MONTH}) (?:the )?(?P<md>{_DAY_NUMBER}){_ORDINAL}(?![\w:%])"
    rf"(?:{_DASH}(?:the )?(?P<md_to>{_DAY_NUMBER}){_ORDINAL}(?![\w:%]| {_MONTH}))?"
    rf"(?:{_year('md_year')})?",
    "month_year": rf"(?P<my>{_MONTH}){_year('my_year')}",
    "which_month": rf"(?P<wm>last|this|next) (?P<wm_month>{_LONE_MONTH})",
    "month": rf"(?P<mo>{_LONE_MONTH})",
    "quarter": "Q(?P<qu>[1-4])",
    "season": rf"(?:the )?(?P<se>{'|'.join(SEASONS)})(?: of)? (?P<se_year>(?:19|20)[0-9]{{2}})",
    "last_season": rf"last (?P<ls>{'|'.join(SEASONS)})",
    "year": "(?P<yr>(?:19|20)[0-9]{2})",
}

# A time inside a name, a path, a version or a number is none.
_STARTS = r"(?:(?<=\bmid-)|(?<![\w./\\@#$&+=:'\u2019`~-])(?<![0-9],))"
_ENDS = r"(?!\w|[-./\\@#:+=&,][0-9]|[-./\\@#:+=&][^\W\d])"


@cache
def expression() -> re.Pattern[str]:
    """Return the pattern of every known expression; the group that matched last names its kind."""
    kinds = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items())
    return re.compile(f"{_STARTS}(?>{kinds}){_ENDS}", re.IGNORECASE)
