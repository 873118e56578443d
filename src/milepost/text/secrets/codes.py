"""Codes of a second factor: those that are listed for later, and those that count for a minute."""

from __future__ import annotations

import re

from milepost.text.expressions import before, lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.passwords import is_counted
from milepost.text.secrets.signs import Signs

# What tells of codes, of codes that are listed, of keys to be typed, and of a second factor.
_CODES = "code,emergency kit,kódy,kody,kod,kód,код,コード,码,tan:,codic,códig".split(",")
_LISTS = (
    "backup,recover,scratch,emergency,one-time,one time,rescue,2fa,mfa,otp,bypass,reset,ersatz,"
    "wiederherstell,einmal,secours,récup,respaldo,recupera,recupero,zálož,zapas,резерв,запас,コード,码,"
    "코드"
).split(",")
_KEYS = "qr ,authenticat,2fa,mfa,factor,setup key,secret key,otp,scan,manual".split(",")
_FACTORS = (
    "2fa,mfa,otp,authenticat,factor,one-time,one time,passcode,verif,sms,texted,text m,tan,steam,"
    "prompt,sign in,log in,oath,seed"
).split(",")
_LIST_NAME = (
    r"(?:backup|recovery|scratch|emergency|one[ -]time|rescue|2fa|mfa|otp|bypass|reset"
    r"|ersatz|záložní|zapasowe)[ _-]?(?:(?:recovery|backup)[ _-])?(?:codes?|kit|kódy|kody)"
    r"|(?:wiederherstellungs|backup-?|einmal)codes?"
    r"|codes? de (?:secours|récupération|respaldo|recuperación|recuperação)"
    r"|codici di (?:backup|recupero)|(?:резервные|запасные) коды"
    r"|バックアップコード|リカバリーコード|(?:备用|恢复|备份)(?:验证)?码|백업 코드"
)
_ABOUT = (
    r"(?:[ ](?:is|are|for|of|from|sind|sont|son|below|here|somewhere|—|-|\()[^\n:]{0,60}?)?"
    r"[\"'`*]{0,3}\s{0,3}(?:[:：=→]|=>|->)?[*]{0,2}\s{0,4}[\[({]?\s{0,4}"
)
_ITEM = (
    r"(?:(?:[-*•▢☐]|\d{1,2}[.):])[ \t]+)?[\"'`]?"
    r"(?:\d{4}[ ]\d{4}(?:[ ]\d{4})?(?=\s*(?:[\"'`,;]|$|\n))|"
    r"(?=[A-Za-z]{0,11}[\d-])[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,8}){0,4})[\"'`]?"
)
_LIST = lazy(
    rf"(?i)(?P<name>(?:{_LIST_NAME}){_ABOUT})(?P<codes>{_ITEM}"
    rf"(?:(?:[\s,;|/]{{1,6}}|,?[ ](?:and|or|und|et|y)[ ]){_ITEM}){{0,30}})(?![\w-])"
)
_CODE = lazy(
    r"(?<![\w-])\d{4}(?:[ ]\d{4}){1,2}(?![\w-])"
    r"|(?<![\w-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){0,4}(?![\w-])"
    r"|(?<![\w-])[A-Za-z0-9]{3}-[A-Za-z0-9]{3,8}(?![\w-])"
)
# A key for codes, in groups of four as it is shown to be typed.
_TYPED = lazy(
    r"(?<!\w)(?=[A-Za-z ]{0,24}[2-7])(?:(?:[a-z2-7]{4}[ ]){3,15}+[a-z2-7]{4}"
    r"|(?:[A-Z2-7]{4}[ ]){3,15}+[A-Z2-7]{4})(?!\w)"
)
_NUMBER = lazy(r"\d{3}(?<![\w.,:/#$€£+-]\d{3})(?:\d{1,5}|[ -]\d{3})(?![\w/%-]|[.,:]\d)")
_NO_CODE = "".join(
    f"(?<!{word} )"
    for word in "error exit status zip postal country area response source promo discount".split()
)
# What tells right before a number that it is somebody's code.
_YOURS = lazy(
    r"(?i)\b(?:your|ihr|dein|votre|ton|tu|su|tuo|seu|twój|váš|ваш|твій|uw|je|2fa|mfa|sms|otp|login"
    rf"|doğrulama|onay)\b[ \w-]{{0,24}}?{_NO_CODE}\b"
    r"(?:code|código|codice|kod|kód|код|kodunuz|tan)\b[^\n\d.,]{0,20}\Z"
)
# What is said right before a code.
_SHOWS = lazy(
    r"(?i)(?:\b(?:is|was|are|enter(?:ed)?|typed?|typ(?:e|ed) in|use|used|using|try|with|codes?"
    r"|token|shows?|showed|says?|said|reads?|got|gave|me|it[’']s|pin|number|otp|totp|2fa|mfa|tan"
    r"|sent|now|displays?|displayed)|[:=?→]|->)[ ]?[\"'`“*(]{0,3}\Z"
)
# What tells of a second factor.
_FACTOR = lazy(
    r"(?i)(?<![a-z])(?:2fa|mfa|t?otp|two[- ]factor|second factor|authenticator|one[- ]time"
    r"|passcode|verification|verify|sms|texted|text(?:[ ]message)?|steam guard|tan|security code"
    r"|whatsapp|(?:log|sign)[ -]?in code|duo|token[ -]code|prompted for)(?![a-z])"
)
# What is typed to get on, with # in the place of the code.
_ENTER = r"(?:enter|use|type|input|try)(?:[ ](?:in|this|the|my|our))*"
_ENTERS = lazy(
    rf"(?i)\b{_ENTER}[ ](?:code|pin)[ :]*#|\b{_ENTER}[ :]*#[ ]to[ ]"
    r"(?:verify|log|sign|confirm|continue|finish|complete|authenticate|approve|proceed|unlock)"
)
# The key of an authenticator, in base32, and what makes codes of it.
_SEED = lazy(
    r"(?<![\w/+-])(?=[A-Za-z]{0,40}[2-7])(?=[2-7]{0,9}[A-Za-z])"
    r"(?:[A-Z2-7]{16,128}|[a-z2-7]{26,128})={0,6}(?![\w/+=-])"
)
_MAKES_CODES = lazy(r"(?i)mfa|2fa|otp|oath|authenticator|two[- ]factor|scan|qr|seed")
# The code that joins a device to an account.
_DEVICE = lazy(
    r"(?P<name>\b(?i:(?:one[- ]time|device|user|pairing|activation|linking|enter|enter the"
    r"|enter this|steam guard|login|sign[- ]in|verification|confirmation|security)[ ]code)"
    r"(?:[ ](?:in|from|on|by|via|for)[ ][\w ]{1,24}?)?(?:[ ]is|[ ]was)?[ :=]{1,3}[\"'`*]{0,3})"
    r"(?:[A-Z0-9]{4}-[A-Z0-9]{4}|(?=[A-Z]{0,8}\d)(?=\d{0,8}[A-Z])[A-Z0-9]{5,9})(?![\w-])"
)


def hide(text: str, signs: Signs) -> str:
    """Return a text in which codes of a second factor and the keys for them are replaced."""
    coded = signs.any(*_CODES)
    if coded and signs.any(*_LISTS):
        text = _LIST.sub(_list, text)
    if signs.any(*_KEYS):
        text = _TYPED.sub(SECRET, text)
    if coded or signs.any(*_FACTORS):
        text = _NUMBER.sub(_number, _SEED.sub(_seed, text))
    return _DEVICE.sub(rf"\g<name>{SECRET}", text) if coded else text


def _seed(match: re.Match[str]) -> str:
    line = before(match, 70).rpartition("\n")[2]
    return SECRET if _MAKES_CODES.search(line) else match[0]


def _number(match: re.Match[str]) -> str:
    """Return what is left of a number that counts for a minute: typed, texted or shown."""
    text, end = match.string, match.end()
    if is_counted(text, end):
        return match[0]
    head, tail = before(match, 80), text[end : end + 50]
    if _YOURS.search(head):
        return SECRET
    if len(match[0]) < 6 or not _SHOWS.search(head):
        return match[0]
    is_code = _FACTOR.search(head) or _FACTOR.search(tail) or _ENTERS.search(f"{head}#{tail}")
    return SECRET if is_code else match[0]


def _list(match: re.Match[str]) -> str:
    codes = _CODE.findall(match["codes"])
    # Words may stand so, too; codes have digits, most of them.
    if 2 * sum(any(map(str.isdigit, code)) for code in codes) < len(codes):
        return match[0]
    return match["name"] + _CODE.sub(SECRET, match["codes"])
