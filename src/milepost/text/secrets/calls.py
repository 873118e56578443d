"""Secrets that a program hands over without a name: login("me", "…"), jwt.sign(data, "…")."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.values import is_dense, is_password

# What is called with a user and a password, or with a key.
_WITH_USER = (
    r"log_?in\w*|\w*auth\w*|\w*basic\w*|\w*cred(?:ential)?s?|\w*connect(?:ion)?|\w*pw_set"
    r"|\w*bind\w*|sign_?in\w*|pdo|mysqli|sequelize|algoliasearch|twilio|plivo|pusher"
    r"|\w*password\w*|(?:create|add|set|new)_?user\w*|register\w*"
)
_WITH_KEY = (
    r"sign|encode|verify|decode|createhmac|hmac|new|fernet|create(?:de)?cipheriv"
    r"|secretkeyspec|(?:en|de)crypt\w*|\w*serializer|\w*signer"
)


def without_handed(text: str) -> str:
    """Return a text in which passwords and keys are replaced that are arguments of a call."""
    if "(" not in text or not _quotes(text):
        return text
    return _call().sub(_hidden, text)


def _quotes(text: str) -> bool:
    return '"' in text or "'" in text or "`" in text


def _hidden(call: re.Match[str]) -> str:
    name = _callee().fullmatch(call["callee"])
    if name is None:
        return call[0]
    with_key = name["key"] is not None
    first = True

    def judged(string: re.Match[str]) -> str:
        nonlocal first
        value = string["value"]
        # The first is the user, unless it is all there is.
        is_user, first = first and not with_key and not string["comma"], False
        if is_user or _type().fullmatch(value) or not (is_password(value) or is_dense(value)):
            return string[0]
        return f"{string['comma'] or ''}{string['open']}{SECRET}{string['close']}"

    return call["name"] + _string().sub(judged, call["arguments"])


@cache
def _type() -> re.Pattern[str]:
    """Match a type of C, or how text is encoded."""
    return re.compile(
        r"[A-Za-z_][\w ]*\*+|(?i:utf|latin|iso|cp|windows|ucs|koi|euc|shift|ascii|hex|base|big)"
        r"[-_]?\d{0,4}(?:[-_][\w-]{1,8})?"
    )


@cache
def _call() -> re.Pattern[str]:
    strings = r"[^()\"'`\n]{0,60}(?:[\"'`][^\"'`\n]{0,200}[\"'`][^()\"'`\n]{0,60}){1,5}"
    return re.compile(
        rf"(?P<name>(?<!\w)(?P<callee>\w{{2,60}})[ ]?=?[ ]?\()(?P<arguments>{strings})"
    )


@cache
def _callee() -> re.Pattern[str]:
    return re.compile(rf"(?i){_WITH_USER}|(?P<key>{_WITH_KEY})")


@cache
def _string() -> re.Pattern[str]:
    return re.compile(
        r"(?P<comma>,\s{0,20})?(?P<open>\b[bru]?[\"'`]"
        r"|[\"'`])(?P<value>[^\"'`\n]{0,200})(?P<close>[\"'`])"
    )
