"""Secrets that a program hands over without a name: login("me", "…"), jwt.sign(data, "…")."""

from __future__ import annotations

import re

from milepost.text.expressions import lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.passwords import is_dense, is_password
from milepost.text.secrets.signs import Signs

# What is called with a user and a password, or with a key.
_CALLEE = lazy(
    r"(?i)log_?in\w*|\w*auth\w*|\w*basic\w*|\w*cred(?:ential)?s?|\w*connect(?:ion)?|\w*pw_set"
    r"|\w*bind\w*|sign_?in\w*|pdo|mysqli|sequelize|algoliasearch|twilio|plivo|pusher"
    r"|\w*password\w*|(?:create|add|set|new)_?user\w*|register\w*"
    r"|(?P<key>sign|encode|verify|decode|createhmac|hmac|new|fernet|create(?:de)?cipheriv"
    r"|secretkeyspec|(?:en|de)crypt\w*|\w*serializer|\w*signer)"
)
_CALL = lazy(
    r"(?P<name>(?<!\w)(?P<callee>\w{2,60})[ ]?=?[ ]?\()(?P<arguments>[^()\"'`\n]{0,60}"
    r"(?:[\"'`][^\"'`\n]{0,200}[\"'`][^()\"'`\n]{0,60}){1,5})"
)
_STRING = lazy(
    r"(?P<comma>,\s{0,20})?(?P<open>\b[bru]?[\"'`]|[\"'`])(?P<value>[^\"'`\n]{0,200})"
    r"(?P<close>[\"'`])"
)
# A type of C, or how text is encoded.
_TYPE = lazy(
    r"[A-Za-z_][\w ]*\*+|(?i:utf|latin|iso|cp|windows|ucs|koi|euc|shift|ascii|hex|base|big)"
    r"[-_]?\d{0,4}(?:[-_][\w-]{1,8})?"
)


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which passwords and keys are replaced that are arguments of a call."""
    if "(" in text and ('"' in text or "'" in text or "`" in text):
        return _CALL.sub(_replacement, text)
    return text


def _replacement(call: re.Match[str]) -> str:
    name = _CALLEE.fullmatch(call["callee"])
    if name is None:
        return call[0]
    # The first is the user, unless it is all there is.
    user_comes = name["key"] is None

    def judged(string: re.Match[str]) -> str:
        nonlocal user_comes
        value = string["value"]
        is_user, user_comes = user_comes and not string["comma"], False
        if is_user or _TYPE.fullmatch(value) or not (is_password(value) or is_dense(value)):
            return string[0]
        return f"{string['comma'] or ''}{string['open']}{SECRET}{string['close']}"

    return call["name"] + _STRING.sub(judged, call["arguments"])
