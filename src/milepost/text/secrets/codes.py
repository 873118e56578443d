"""Codes that stand in for a second factor, as they are listed, one below the other."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.signs import Signs
from milepost.text.secrets.token_shapes import SECRET

_SIGNS = ("code", "emergency kit", "kódy", "kody", "коды", "コード", "码")


def without_codes(text: str, signs: Signs) -> str:
    """Return a text in which the codes of a list are replaced."""
    if signs.any(
        "qr ", "totp", "authenticat", "2fa", "mfa", "factor", "setup key", "secret key", "otp"
    ):
        text = _typed().sub(SECRET, text)
    return _list().sub(_hidden, text) if signs.any(*_SIGNS) else text


def _hidden(found: re.Match[str]) -> str:
    codes = _code().findall(found["codes"])
    # Words may stand so, too; codes have digits, most of them.
    if 2 * sum(any(map(str.isdigit, code)) for code in codes) < len(codes):
        return found[0]
    return found["name"] + _code().sub(SECRET, found["codes"])


@cache
def _typed() -> re.Pattern[str]:
    # A key for codes, in groups of four as it is shown to be typed.
    groups = (
        rf"(?:[{letters}2-7]{{4}}[ ]){{3,15}}+[{letters}2-7]{{4}}" for letters in ("a-z", "A-Z")
    )
    return re.compile(rf"(?<!\w)(?=[A-Za-z ]{{0,24}}[2-7])(?:{'|'.join(groups)})(?!\w)")


@cache
def _list() -> re.Pattern[str]:
    name = (
        r"(?:backup|recovery|scratch|emergency|one[ -]time|rescue|2fa|mfa|otp|bypass|reset"
        r"|ersatz|záložní|zapasowe)[ _-]?"
        r"(?:(?:recovery|backup)[ _-])?(?:codes?|kit|kódy|kody)|(?:wiederherstellungs"
        r"|backup-?|einmal)codes?"
        r"|codes? de (?:secours|récupération|respaldo|recuperación|recuperação)|codici di "
        r"(?:backup|recupero)"
        r"|(?:резервные|запасные) коды|バックアップコード|リカバリーコード"
        r"|(?:备用|恢复|备份)(?:验证)?码|백업 코드"
    )
    about = (
        r"(?:[ ](?:is|are|for|of|from|sind|sont|son|—|-"
        r"|\()[^\n:]{0,40})?[\"'`]?\s{0,3}[:：=\[]?\s{0,4}"
    )
    mark = r"(?:(?:[-*•▢☐]|\d{1,2}[.):])[ \t]+)?[\"'`]?"
    item = (
        rf"{mark}(?=[A-Za-z]{{0,11}}[\d-])[A-Za-z0-9]{{3,12}}(?:-[A-Za-z0-9]{{3,8}}){{0,4}}[\"'`]?"
    )
    return re.compile(
        rf"(?i)(?P<name>(?:{name}){about})(?P<codes>{item}(?:[\s,;|/]{{1,6}}{item}){{0,30}})(?![\w-])"
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){0,4}(?![\w-])"
        r"|(?<![\w-])[A-Za-z0-9]{3}-[A-Za-z0-9]{3,8}(?![\w-])"
    )
