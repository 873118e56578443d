"""Read the words around an expression of time: whether a time is meant, and how it bounds."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from milepost.text.dates.time_words import expression

_ROLES = {
    "since": "ever since|since|starting(?: from| in| on)?",
    "after": "after|later than",
    "before": "before|prior to|earlier than",
    "until": "until|till|til|up to|up until|as of|through",
    "older": "more than|at least",
    "younger": "less than|at most|under",
    "over": "over|within",
    "between": "between",
    "from": "from",
    "in": "sometime in|back in|in|during|throughout",
    "on": "back on|on",
    "loose": "at|for|of",
}
_BOUNDS = frozenset({"since", "after", "before", "until"})
_PLAIN = frozenset({"", "from", "in", "on", "over", "loose"})
# A bare name needs one of these before it: months are verbs, years are counts, days are names.
_NEEDS = {
    kind: _BOUNDS | {"between", "from", "in"}
    for kind in ("month", "quarter", "season", "year", "iso_month")
}
_NEEDS["weekday"] = _BOUNDS | {"between", "from", "on"}
_NEEDS["recent_one"] = frozenset({"in", "over"})
_DATES = frozenset(_NEEDS) - {"recent_one"} | {"iso", "day_of_month", "month_year", "quarter_year"}
_COUNTED = frozenset({"year", "month_year", "day_of_month"})
_FIRST_NAMES = frozenset({"april", "may", "june", "august"})

_UNITS = "(?:second|minute|hour|day|week|month|quarter|year)s?"
# Patterns stay text until they are first needed: compiling them all would slow every import.
# Left of the expression and of the words that belong to it.
_DENIED = (
    r"(?i)(?:\b(?:not?|never|except|excluding|besides|than|vs\.?|versus|to|with|by|next|second|half|per"
    r"|(?:hundred|thousand)(?: and)?)|\bbetween [^.?!;]* and) $"
)
_AFTER_UNIT = rf"(?i)\b{_UNITS},?(?: and)? $"
# "Since we talked last week" opens where a talk ended, and only the talk knows when.
_CLAUSE = r"(?i)\b(?:since|until|till|before|after) [^.,;:?!()]*$"
# Right of it: "in 2000 lines", "since yesterday was a holiday", "in March of that year".
_COUNT = (
    r" (?!(?:was|is|as|has|does|us|this|besides|versus|regards|always|perhaps)\b)"
    r"(?:[a-z]+s|[kmg]b|people|percent|usd|eur|px)\b"
)
_VERB = r"(?i) (?:is|was|are|were|has|had|will|would|isn't|wasn't)\b"
_MODAL = r"(?i) (?:i|we|you|he|she|it|they|be|have|not|need|also)\b"
_ONWARDS = r"(?i) (?:onwards?|forward)\b"
# How far the words that decide may lie from the expression, in characters.
_REACH = 80
_POSSESSIVE = "['\u2019]s\\b"


class Mention(NamedTuple):
    """An expression in its sentence; `start` and `end` take in the words that belong to it."""

    found: re.Match[str]
    start: int
    end: int
    role: str
    part: str
    owner: str
    hedge: str
    possessive: bool
    before: str
    after: str

    @property
    def kind(self) -> str:
        """Name the kind of expression, as `time_words` does."""
        return self.found.lastgroup or ""

    @property
    def is_vague(self) -> bool:
        """Tell whether the time is meant roughly; "about" is that only before "... ago"."""
        return self.hedge in ("around", "circa") or (bool(self.hedge) and self.kind == "ago")

    @property
    def is_time(self) -> bool:
        """Tell whether a time is meant rather than a name, a count or a comparison."""
        if self.spoiled or self._is_denied():
            return False
        if self.may_be_verb and (not self.role or (self.part and self.role != "in")):
            return False
        if self.role in ("older", "younger") and self.kind != "ago":
            return False
        needed = _NEEDS.get(self.kind)
        return needed is None or self.role in needed or bool(self.part) or self.is_vague

    @property
    def stands_alone(self) -> bool:
        """Tell whether the time is complete without a second one."""
        is_range = any(self.found[name] for name in ("dm_to", "md_to", "ago_to"))
        if self.role == "between":
            return is_range
        if self.role != "from":
            return True
        # "From June" is a month or a person; "from March to production" is a journey.
        named = self.kind == "month" and self.found.group().lower() in _FIRST_NAMES
        return not named and re.match(r" (?:to|through|until|till)\b", self.after) is None

    @property
    def spoiled(self) -> bool:
        """Tell whether the words after the expression make it something else."""
        said = self.found.group()
        if re.match(r" of\b", self.after) or (self.possessive and self.role not in _PLAIN):
            return True
        if self.kind in _COUNTED and said[-1].isdigit() and re.match(_COUNT, self.after):
            return True
        if self.kind == "recent" and re.match(r" (?:[0-9]|one\b)", self.after):
            return True
        if said[-3:].lower() == "may" and re.match(_MODAL, self.after):
            return True
        return self.role in _BOUNDS and re.match(_VERB, self.after) is not None

    @property
    def may_be_verb(self) -> bool:
        """Tell whether this is a "may" that nothing but its place marks as a month."""
        said = self.found.group()
        dated = re.search(r"[0-9](?:st|nd|rd|th)|[0-9]{4}|(?:last|this) ", said)
        return "may" in said and dated is None

    def _is_denied(self) -> bool:
        if self.owner and (self.owner != "the" or self.kind in _DATES):
            return True
        if re.search(_DENIED, self.before) or re.search(_CLAUSE, self.before):
            return True
        relates = self.role in _BOUNDS or self.role in ("from", "loose") or self.kind == "ago"
        return relates and re.search(_AFTER_UNIT, self.before) is not None


def mentions(text: str) -> list[Mention]:
    """Return the expressions of a text whose spaces are single, in order."""
    listed: list[Mention] = []
    for match in expression().finditer(text):
        if match.lastgroup != "quoted":
            listed.append(_mention(text, match, listed[-1].end if listed else 0))
    return listed


@cache
def _left() -> re.Pattern[str]:
    roles = "|".join(f"(?P<{role}>{words})" for role, words in _ROLES.items())
    return re.compile(
        rf"(?<![\w'\u2019./@#-])(?:(?:{roles}) )?"
        r"(?:(?P<owner>the|an?|our|my|your|his|her|its|their|that|this|every|each) )?"
        r"(?:(?P<part>early|mid|late|beginning of|start of|middle of|end of)(?: in)?(?: the)?[ -])?"
        r"(?:(?:(?P<hedge>around|circa|about|roughly|approximately)"
        r"|exactly|just|earlier|later) )?$",
        re.IGNORECASE,
    )


def _mention(text: str, match: re.Match[str], previous_end: int) -> Mention:
    near = text[max(previous_end, match.start() - _REACH) : match.start()]
    after = text[match.end() : match.end() + _REACH]
    left = _left().search(near)
    assert left is not None, "every part of the pattern is optional"
    role = next((name for name in _ROLES if left[name]), "")
    if role == "over" and match.lastgroup == "ago":
        role = "older" if left[role].lower() == "over" else "younger"
    start, end = match.start() - len(left.group()), match.end()
    possessive = re.match(_POSSESSIVE, after)
    if possessive:
        start, end = match.start(), end + possessive.end()
    if role == "from" and (onwards := re.match(_ONWARDS, after)):
        role, end = "since", end + onwards.end()
    return Mention(
        found=match,
        start=start,
        end=end,
        role=role,
        part=(left["part"] or "").split(" ")[0].lower(),
        owner=(left["owner"] or "").lower(),
        hedge=(left["hedge"] or "").lower(),
        possessive=possessive is not None,
        before=near[: left.start()],
        after=after,
    )
