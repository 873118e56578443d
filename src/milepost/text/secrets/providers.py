"""Tokens of known providers, by the shapes that published lists give (data/providers.txt)."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.placeholders import is_placeholder
from milepost.text.secrets.published import lines
from milepost.text.secrets.signs import Index, Signs

# A value behind its provider's name, as in GITTER_TOKEN = "…"; what the gap says may be an id.
_GAP = r"(?P<gap>[\w \t.-]{0,20}+)[\s\"']{0,3}(?:=>?|>|:{1,3}=?|\|\||\?=|,)[`'\"\s=]{0,5}"
_IDENTIFIES = (
    r"(?i)(?:^|[_\W]|(?<=[a-z]))(?:ids?|hash|sha\d*|md5|commit|rev|ref|digest|checksum"
    r"|version|url|uri"
    r"|host|org|project|user|name|pub|public|image|etag|build|trace|request|run)(?:[_\W]|$)"
)

# Keys that are made to be shown: a page carries them.
_PUBLIC = ("pk_", "phc_")


def without_provided(text: str, signs: Signs) -> str:
    """Return a text in which tokens of known shape are replaced."""
    for number in sorted({rule for _, rule in _keywords().found(signs)}):
        text = _pattern(number).sub(_hidden, text)
    return text


def _hidden(found: re.Match[str]) -> str:
    whole, secret = found.group(0, found.re.groups)
    if secret.startswith(_PUBLIC) or is_placeholder(secret):
        return whole
    if "gap" in found.re.groupindex:
        mixed = re.search(r"\d", secret) and re.search(r"[A-Za-z]", secret)
        if not mixed or re.search(_IDENTIFIES, found["gap"]):
            return whole
    start = found.start(found.re.groups) - found.start()
    return f"{whole[:start]}{SECRET}{whole[start + len(secret) :]}"


@cache
def _rules() -> tuple[list[str], ...]:
    return tuple(line.split("\t") for line in lines("providers.txt"))


@cache
def _keywords() -> Index:
    """Return the words that tell of rules, with the rules' numbers."""
    return Index((word, i) for i, rule in enumerate(_rules()) for word in rule[2].split())


@cache
def _pattern(number: int) -> re.Pattern[str]:
    kind, _, words, shape = _rules()[number]
    if kind == "shape":
        return re.compile(rf"(?<![A-Za-z0-9]){shape}")
    names = "|".join(map(re.escape, words.split()))
    return re.compile(rf"(?i)(?:{names}){_GAP}{shape}(?![\w+/=-])")
