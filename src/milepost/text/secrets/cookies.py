"""Cookies in headers: those that keep a session are hidden, attributes and choices are not."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.placeholders import is_placeholder

# What a header says about a cookie, and what cookies say that is nobody's secret.
_HARMLESS = frozenset(
    "path domain expires max-age samesite priority version comment theme lang language "
    "locale tz timezone "
    "currency country region consent cookie_consent cookieconsent cookie-consent gdpr dark "
    "darkmode mode "
    "color_scheme font layout view sidebar utm_source utm_medium utm_campaign ab variant "
    "experiment bucket "
    "seen visited first_visit last_visit banner cookies_accepted accept_cookies optin optout "
    "dnt i18n i18next hl gl currency_code device platform debug page "
    "sort order per_page ref referrer".split()
)
_ANALYTICS = (
    "_ga",
    "_gid",
    "_gat",
    "_gcl",
    "_fbp",
    "_hj",
    "__utm",
    "_pk_",
    "amplitude",
    "mp_",
    "ajs_",
    "optimizely",
)


def without_cookies(text: str) -> str:
    """Return a text in which the values of cookies that may open a session are replaced."""
    text = _header().sub(
        lambda header: header["name"] + _pair().sub(_hidden, header["pairs"]), text
    )
    return _session().sub(rf"\1{SECRET}", text)


def _hidden(pair: re.Match[str]) -> str:
    name, value = pair["name"].lower(), pair["value"]
    if name in _HARMLESS or name.startswith(_ANALYTICS) or is_placeholder(value):
        return pair[0]
    if len(value) < 6 or (len(value) < 24 and _choice().fullmatch(value)):
        return pair[0]
    return f"{pair['name']}={SECRET}"


@cache
def _header() -> re.Pattern[str]:
    return re.compile(
        r"(?i)(?P<name>cookie\\?[\"']?:\s?\\?[\"'`]?)(?P<pairs>[\w.%$-]{1,80}=[^\n\"'`]{2,8000})"
    )


@cache
def _choice() -> re.Pattern[str]:
    """Match words, a language, a zone or a version: what somebody chose."""
    return re.compile(r"[A-Za-z]+(?:(?:[_.:/-]|%2[fFcC])[A-Za-z]+)*\d?|v?\d+(?:\.\d+)+")


@cache
def _pair() -> re.Pattern[str]:
    return re.compile(
        r"(?P<name>(?<![\w.%$-])[\w.%$-]{1,80})=(?P<value>(?:(?!\\[rn])[^;,\s\"'`]){1,4000})"
    )


@cache
def _session() -> re.Pattern[str]:
    return re.compile(r"(\b\w{0,20}SESSID=)[\w%.-]{8,300}")
