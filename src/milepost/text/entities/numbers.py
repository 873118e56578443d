"""Versions and issue numbers."""

from __future__ import annotations

from milepost.text.expressions import lazy

_VERSION = lazy(
    r"(?:v\d{1,4}(?:\.\d{1,5}){0,3}|\d{1,4}(?:\.\d{1,5}){2,3})"
    r"(?:[-.+]?(?:rc|alpha|beta|dev|post|preview|pre|snapshot|a|b|SNAPSHOT|RELEASE|LTS|next|canary)"
    r"[-.]?\d{0,8}(?:\.\d{1,5}){0,2})?(?:[-+][a-z][a-z0-9]{1,12})?"
)
_SERIES = lazy(r"v?\d{1,3}\.(?:\d{1,3}\.)?x")
_SHORT = lazy(
    r"\d{1,4}(?:\.(?:\d{1,4}|x)){0,2}(?:[-.]?(?:rc|alpha|beta|dev|a|b|LTS)[-.]?\d{0,4})?"
    r"(?:-[a-z][a-z0-9]{1,12})?"
)
_PROTOCOL = lazy(r"\b(?:TLS|SSL|HTTP|API|OAuth|IP|protocol|section|§|chapter|Abschnitt)[ /]$")
_DAY = lazy(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})|\d{4}\.\d{1,2}\.\d{1,2}")
_SPOKEN = lazy(r"(?i)(?:\b(?:versions?|versi[oó]n|fassung)|版本)(?: (?:to|auf|à|a|of))? ?$")
_RELEASED = lazy(
    r"(?i)\b(?:releases?|(?:up|down)grad(?:e|ed|es|ing)(?: \w+)? to|since|"
    r"prior to|(?:added|removed|deprecated|introduced|released|fixed|dropped) in) $|(?:升级到|"
    r"升到) ?$"
)
_ISSUE = lazy(r"#\d{1,6}|GH-\d{1,6}|CVE-\d{4}-\d{4,7}|GHSA(?:-[a-z0-9]{4}){3}|![0-9]{2,6}")
_TICKET = lazy(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}")
# Standards, formats and models that are written as tickets are.
_NO_TICKETS = frozenset(
    "UTF ISO SHA RFC PEP AES RSA MD GPT COVID MP H BASE CRC IEEE EN DIN IP TCP HTTP TLS SSL RS USB "
    "DDR PCI ARM X WCAG ECMA ES CP CET UTC GMT EST PST A4 LATIN WINDOWS KOI BIG EUC Q KW T CAT "
    "FIPS NIST JSR ADR LC LPT COM AK MI B F".split()
)
_NUMBERED = lazy(r"(?i)\b(?:issues?|tickets?|bugs?|prs?|pull requests?|mrs?|merge requests?) $")


def is_version(word: str, before: str = "", after: str = "") -> bool:
    """Tell whether a word is a version by its shape, and not one of a protocol."""
    if _PROTOCOL.search(before) or after[:5] in (" API ", " prot", " API."):
        return False
    if _SERIES.fullmatch(word):
        return True
    if not _VERSION.fullmatch(word) or _DAY.fullmatch(word):
        return False
    return word[0] == "v" or word.count(".") >= 2


def is_short_version(word: str) -> bool:
    """Tell whether a number is a version if it stands after a product."""
    return _SHORT.fullmatch(word) is not None and not (word.isdigit() and int(word) > 99)


def is_spoken_version(word: str, before: str) -> bool:
    """Tell whether a number is a version because the text calls it one."""
    if not is_short_version(word):
        return False
    return _SPOKEN.search(before) is not None or (
        "." in word and _RELEASED.search(before) is not None
    )


def is_issue(word: str, before: str) -> bool:
    """Tell whether a word is the number of an issue, a change or a weakness."""
    if word.isdigit():
        return _NUMBERED.search(before) is not None
    if _ISSUE.fullmatch(word):
        # "#1" ranks; "fix #1" does not.
        return len(word) > 2 or _is_referred(before)
    ticket = _TICKET.fullmatch(word)
    return ticket is not None and word.partition("-")[0] not in _NO_TICKETS


def _is_referred(before: str) -> bool:
    return before.rstrip(" (").lower().endswith(("issue", "pr", "fixes", "fix", "closes", "see"))
