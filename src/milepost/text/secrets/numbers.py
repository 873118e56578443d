"""Numbers of cards and bank accounts, known by their check digits."""

from __future__ import annotations

import re

from milepost.text.expressions import before, lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.signs import NUMBER, Signs

# How long the numbers of a card's brand are, by what they begin with.
_BRANDS = (
    (r"4", (13, 16, 19)),
    (r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
    (r"3[47]", (15,)),
    (r"30[0-5]|3[689]", (14, 16)),
    (r"6011|64[4-9]|65|35(?:2[89]|[3-8])|62|81|220[0-4]|60|508|353|356", (16, 17, 18, 19)),
    (r"50(?:18|20|38)|5[6-9]|6(?:304|759|76[1-3])|9792", (12, 13, 14, 15, 16, 17, 18, 19)),
)
# How long the account numbers of a country are.
_COUNTRIES = dict(
    entry.split(":")
    for entry in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 "
        "DE:22 DK:18 DO:28 EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 "
        "HR:21 HU:28 IE:22 IL:23 IQ:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 "
        "LV:21 MC:27 MD:24 ME:22 MK:19 MR:27 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 "
        "RO:24 RS:22 SA:24 SC:31 SE:24 SI:19 SK:24 SM:27 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 VA:22 "
        "VG:24 XK:20"
    ).split()
)
# What has as many digits and is told by its name.
_OTHERS = lazy(
    r"(?i)(?:id|no|nr|\w[ _-]?number|order|ticket|case|time|stamp|ts|imei|seq|offset|version|build"
    r"|tracking|size|bytes|hash|sum"
    r"|invoice|serial|rev|snowflake|ean|gtin|isbn|epoch|nanos?|micros?)[\"'`]?[\s:=#]{0,4}[\"'`]?$"
)
_CARDS = lazy(
    r"(?i)card|visa|master|amex|pan\b|kart|carte|tarjeta|cart[aã]o|carta|credit|debit|卡|カード|카드"
    r"|карт|union[ ]?pay|jcb|maestro|discover|diners|rupay"
)
_VALID = lazy(r"(?i)\b(?:exp|cvv|cvc|valid)")
# Whole, or in groups with the same signs between them.
_CARD = lazy(
    r"(?:(?<![\w.-])|(?<=%B))(?:\d{12,19}"
    r"|\d{4}(?P<by>[ ._\u00a0\u202f-]{1,2})\d{4}(?P=by)\d{4}(?P=by)\d{1,7}(?:(?P=by)\d{1,3})?"
    r"|3\d{3}(?P<of>[ .\u00a0\u202f-]{1,2})\d{6}(?P=of)\d{4,5})(?![\w-]|\.\d)"
)
_ACCOUNT = lazy(
    r"(?i)(?:(?<![a-z0-9])|(?<=iban))[a-z]{2}\d{2}(?:[ \u00a0\u202f.-]?[a-z0-9]){11,30}+"
)


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which numbers of cards and accounts are replaced."""
    return _CARD.sub(_card, _ACCOUNT.sub(_account, text)) if NUMBER.search(text) else text


def _card(match: re.Match[str]) -> str:
    # Behind the last group may stand the month until which the card is valid.
    for written in (match[0], re.sub(r"\D+\d{1,3}$", "", match[0])):
        digits = re.sub(r"\D", "", written)
        if len(set(digits)) >= 4 and _is_card(digits):
            is_whole = len(digits) == len(match[0])
            return match[0] if is_whole and _is_other(match) else SECRET + match[0][len(written) :]
    return match[0]


def _is_other(match: re.Match[str]) -> bool:
    """Whether what stands around a number tells that it is not that of a card."""
    head, tail = before(match, 40), match.string[match.end() : match.end() + 40]
    return bool(_OTHERS.search(head)) and not (_CARDS.search(head) or _VALID.search(tail))


def _is_card(digits: str) -> bool:
    if not any(len(digits) in sizes and re.match(begins, digits) for begins, sizes in _BRANDS):
        return False
    doubled = (int(d) * 2 for d in digits[-2::-2])
    return (sum(d - 9 * (d > 9) for d in doubled) + sum(map(int, digits[::-2]))) % 10 == 0


def _account(match: re.Match[str]) -> str:
    """Return what is left of an account's number; what follows one may look like a part of it."""
    written = match[0]
    size = int(_COUNTRIES.get(written[:2].upper(), 0))
    places = [i for i, c in enumerate(written, 1) if c.isalnum()]
    if not size or len(places) < size:
        return written
    end = places[size - 1]
    number = re.sub(r"[^A-Za-z0-9]", "", written[:end])
    if written[end : end + 1].isalnum() or not _is_account(number):
        return written
    return SECRET + written[end:]


def _is_account(number: str) -> bool:
    turned = number[4:] + number[:4]
    return int("".join(str(int(c, 36)) for c in turned)) % 97 == 1
