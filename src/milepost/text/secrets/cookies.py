"""Cookies in headers: those that keep a session are hidden, attributes and choices are not."""

from __future__ import annotations

import re

from milepost.text.expressions import lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.passwords import is_placeholder
from milepost.text.secrets.signs import Signs

# What a header says about a cookie, and what cookies say that is nobody's secret.
_HARMLESS = frozenset(
    "path domain expires max-age samesite priority version comment theme lang language locale tz "
    "timezone currency country region consent cookie_consent cookieconsent cookie-consent gdpr "
    "dark darkmode mode color_scheme font layout view sidebar utm_source utm_medium utm_campaign "
    "ab variant experiment bucket seen visited first_visit last_visit banner cookies_accepted "
    "accept_cookies optin optout dnt i18n i18next hl gl currency_code device platform debug page "
    "sort order per_page ref referrer".split()
)
_ANALYTICS = tuple("_ga _gid _gat _gcl _fbp _hj __utm _pk_ amplitude mp_ ajs_ optimizely".split())
_HEADER = lazy(
    r"(?i)(?P<name>cookie\\?[\"']?:\s?\\?[\"'`]?)(?P<pairs>[\w.%$-]{1,80}=[^\n\"'`]{2,8000})"
)
_PAIR = lazy(r"(?P<name>(?<![\w.%$-])[\w.%$-]{1,80})=(?P<value>(?:(?!\\[rn])[^;,\s\"'`]){1,4000})")
# Words, a language, a zone or a version: what somebody chose.
_CHOICE = lazy(r"[A-Za-z]+(?:(?:[_.:/-]|%2[fFcC])[A-Za-z]+)*\d?|v?\d+(?:\.\d+)+")
_SESSION = lazy(r"(\b\w{0,20}SESSID=)[\w%.-]{8,300}")


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which the values of cookies that may open a session are replaced."""
    text = _HEADER.sub(
        lambda header: header["name"] + _PAIR.sub(_replacement, header["pairs"]), text
    )
    return _SESSION.sub(rf"\1{SECRET}", text)


def _replacement(pair: re.Match[str]) -> str:
    name, value = pair["name"].lower(), pair["value"]
    if name in _HARMLESS or name.startswith(_ANALYTICS) or is_placeholder(value):
        return pair[0]
    if len(value) < 6 or (len(value) < 24 and _CHOICE.fullmatch(value)):
        return pair[0]
    return f"{pair['name']}={SECRET}"
