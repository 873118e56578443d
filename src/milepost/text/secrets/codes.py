"""Codes of a second factor: those that are listed for later, and those that count for a minute."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.signs import Signs
from milepost.text.secrets.values import is_counted

_SIGNS = (
    "code",
    "emergency kit",
    "kódy",
    "kody",
    "kod",
    "kód",
    "код",
    "コード",
    "码",
    "tan:",
    "codic",
    "códig",
)
_LISTED = (
    "backup", "recover", "scratch", "emergency", "one-time", "one time", "rescue", "2fa", "mfa",
    "otp", "bypass", "reset", "ersatz", "wiederherstell", "einmal", "secours", "récup", "respaldo",
    "recupera", "recupero", "zálož", "zapas", "резерв", "запас", "コード", "码", "코드",
)  # fmt: skip
_FACTORS = (
    "2fa", "mfa", "otp", "authenticat", "factor", "one-time", "one time", "passcode", "verif",
    "sms",
    "texted", "text m", "tan", "steam", "prompt", "sign in", "log in", "oath",
)  # fmt: skip
_TYPED = (
    "qr ",
    "authenticat",
    "2fa",
    "mfa",
    "factor",
    "setup key",
    "secret key",
    "otp",
    "scan",
    "manual",
)
_YOURS = (
    "your|ihr|dein|votre|ton|tu|su|tuo|seu|twój|váš|ваш|твій|uw|je|2fa|mfa|sms|otp|login"
    "|doğrulama|onay"
)
_NO_CODE = "".join(
    f"(?<!{word} )"
    for word in "error exit status zip postal country area response source promo discount".split()
)


def without_codes(text: str, signs: Signs) -> str:
    """Return a text in which codes of a second factor and the keys for them are replaced."""
    coded = signs.any(*_SIGNS)
    if coded and signs.any(*_LISTED):
        text = _list().sub(_hidden, text)
    if signs.any(*_TYPED):
        text = _typed().sub(SECRET, text)
    if coded or signs.any(*_FACTORS, "seed"):
        text = _number().sub(_hidden_number, _seed().sub(_hidden_seed, text))
    return _device().sub(rf"\g<name>{SECRET}", text) if coded else text


def _hidden_seed(found: re.Match[str]) -> str:
    before = found.string[max(found.start() - 70, 0) : found.start()].rpartition("\n")[2]
    return SECRET if _makes_codes().search(before) else found[0]


def _hidden_number(found: re.Match[str]) -> str:
    """Return what is left of a number that counts for a minute: typed, texted or shown."""
    text, start, end = found.string, found.start(), found.end()
    if is_counted(text, end):
        return found[0]
    before = text[max(start - 80, 0) : start]
    if _yours().search(before):
        return SECRET
    if end - start < 6 or not _shows().search(before):
        return found[0]
    after = text[end : end + 50]
    told = (
        _asked().search(before) or _asked().search(after) or _enters().search(f"{before}#{after}")
    )
    return SECRET if told else found[0]


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
        r"(?:[ ](?:is|are|for|of|from|sind|sont|son|below|here|somewhere|—|-"
        r"|\()[^\n:]{0,60}?)?[\"'`*]{0,3}\s{0,3}(?:[:：=→]|=>|->)?[*]{0,2}\s{0,4}[\[({]?\s{0,4}"
    )
    mark = r"(?:(?:[-*•▢☐]|\d{1,2}[.):])[ \t]+)?[\"'`]?"
    item = (
        rf"{mark}(?:\d{{4}}[ ]\d{{4}}(?:[ ]\d{{4}})?(?=\s*(?:[\"'`,;]|$|\n))|"
        rf"(?=[A-Za-z]{{0,11}}[\d-])[A-Za-z0-9]{{3,12}}(?:-[A-Za-z0-9]{{3,8}}){{0,4}})[\"'`]?"
    )
    return re.compile(
        rf"(?i)(?P<name>(?:{name}){about})(?P<codes>{item}(?:(?:[\s,;|/]{{1,6}}|,?[ ](?:and|or"
        rf"|und|et|y)[ ]){item}){{0,30}})(?![\w-])"
    )


@cache
def _code() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])\d{4}(?:[ ]\d{4}){1,2}(?![\w-])"
        r"|(?<![\w-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){0,4}(?![\w-])"
        r"|(?<![\w-])[A-Za-z0-9]{3}-[A-Za-z0-9]{3,8}(?![\w-])"
    )


@cache
def _number() -> re.Pattern[str]:
    return re.compile(r"\d{3}(?<![\w.,:/#$€£+-]\d{3})(?:\d{1,5}|[ -]\d{3})(?![\w/%-]|[.,:]\d)")


@cache
def _yours() -> re.Pattern[str]:
    """Match what tells right before a number that it is somebody's code."""
    code = r"(?:code|código|codice|kod|kód|код|kodunuz|tan)"
    return re.compile(
        rf"(?i)\b(?:{_YOURS})\b[ \w-]{{0,24}}?{_NO_CODE}\b{code}\b[^\n\d.,]{{0,20}}\Z"
    )


@cache
def _shows() -> re.Pattern[str]:
    """Match what is said right before a code."""
    return re.compile(
        r"(?i)(?:\b(?:is|was|are|enter(?:ed)?|typed?|typ(?:e|ed) in|use|used|using|try|with"
        r"|codes?|token|shows?|showed|says?|said|reads?"
        r"|got|gave|me|it[’']s|pin|number|otp|totp|2fa|mfa|tan|sent|now|displays?|displayed)"
        r"|[:=?→]|->)"
        r"[ ]?[\"'`“*(]{0,3}\Z"
    )


@cache
def _asked() -> re.Pattern[str]:
    """Match what tells of a second factor."""
    return re.compile(
        r"(?i)(?<![a-z])(?:2fa|mfa|t?otp|two[- ]factor|second factor|authenticator|one[- ]time"
        r"|passcode"
        r"|verification|verify|sms|texted|text(?:[ ]message)?|steam guard|tan|security code"
        r"|whatsapp"
        r"|(?:log|sign)[ -]?in code|duo|token[ -]code|prompted for)(?![a-z])"
    )


@cache
def _enters() -> re.Pattern[str]:
    """Match what is typed to get on, with # in the place of the code."""
    on = r"(?:verify|log|sign|confirm|continue|finish|complete|authenticate|approve|proceed|unlock)"
    enter = r"(?:enter|use|type|input|try)(?:[ ](?:in|this|the|my|our))*"
    return re.compile(rf"(?i)\b{enter}[ ](?:code|pin)[ :]*#|\b{enter}[ :]*#[ ]to[ ]{on}")


@cache
def _seed() -> re.Pattern[str]:
    """Match the key of an authenticator, in base32."""
    return re.compile(
        r"(?<![\w/+-])(?=[A-Za-z]{0,40}[2-7])(?=[2-7]{0,9}[A-Za-z])"
        r"(?:[A-Z2-7]{16,128}|[a-z2-7]{26,128})={0,6}(?![\w/+=-])"
    )


@cache
def _makes_codes() -> re.Pattern[str]:
    return re.compile(r"(?i)mfa|2fa|otp|oath|authenticator|two[- ]factor|scan|qr|seed")


@cache
def _device() -> re.Pattern[str]:
    """Match the code that joins a device to an account."""
    name = (
        r"(?i:(?:one[- ]time|device|user|pairing|activation|linking|enter|enter the|enter "
        r"this|steam guard|login|sign[- ]in|verification|confirmation|security)[ ]code)"
    )
    shape = r"[A-Z0-9]{4}-[A-Z0-9]{4}|(?=[A-Z]{0,8}\d)(?=\d{0,8}[A-Z])[A-Z0-9]{5,9}"
    return re.compile(
        rf"(?P<name>\b{name}(?:[ ](?:in|from|on|by|via|for)[ ][\w ]{{1,24}}?)?"
        rf"(?:[ ]is|[ ]was)?[ :=]{{1,3}}[\"'`*]{{0,3}})(?:{shape})(?![\w-])"
    )
