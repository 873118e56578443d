"""Words that nobody writes by hand: long, of letters in both cases and digits without an order.

A key that stands alone, without a name and without a vendor's prefix, is known by nothing else. A
hash in hexadecimal, a UUID and an identifier of a program do not look so; checksums in base64 do,
and are known by what stands before them.
"""

from __future__ import annotations

import binascii
import re
from itertools import pairwise

from milepost.text.expressions import before, lazy
from milepost.text.secrets.mark import SECRET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SIZE_MIN, _SIZE_MAX = 20, 400
# Identifiers that chance made (KSUID, nanoid, push ids) are shorter.
_NAMELESS_MIN = 28
_LETTERS_MIN = 9
# Neighbours of unlike kind (small, capital, digit), as a share: some 0.6 of what chance makes, 0.3
# of names in camel case.
_UNLIKE_MIN = 0.4
_DIGITS_MAX = 0.4
# As much of an identifier at least is words; chance makes few of them.
_WORDS_MAX = 0.35
# Content that was encoded to be shipped is broken into lines of one width, at least this.
_WIDTH_MIN = 48
# What is before a checksum, or before content that was encoded to be shipped.
_CHECKSUMS = tuple(
    "sha1- sha256- sha384- sha512- sha256: sha512: h1: md5- md5: base64, nonce- integrity= "
    "sha-256= sha-512= sha-256=: sha-512=: did:key: sha256/".split()
)
# How public keys, certificates, pictures, fonts and archives begin in base64.
_PUBLIC = tuple(
    (
        "AAAA MII LS0tLS1CRUdJTiBDRVJU iVBORw0 /9j/ R0lGOD d09G UEsDB H4sI PHN2Zy JVBERi MFkw MCow "
        "MHYw MIG RWQ AGFzbQ xpub ypub zpub pk_ pk. phc_ tpub npub T2dnUw UklGR PD94 PCFE bafy "
        "bafk MEUC MEQC MEYC MGUC MGQC RUQ RUS 12D3Koo tz1 tz2 KT1 age1"
    ).split()
)
# Services name what they keep: a message, a customer, a run.
_IDS = frozenset(
    "msg toolu tooluse srvtoolu req resp chatcmpl cmpl call run step thread asst batch file cus "
    "price prod pi pm acct evt sub in si ch re txn cs seti card ba po dp usr user org proj team "
    "doc page img obj id job task ev log trace span sess build deploy dpl env src".split()
)
# A file may be named by chance, and is known by its kind.
_FILE = (
    r"\.(?:[cm]?js|css|map|html?|json|woff2?|png|jpe?g|gif|svg|ico|webp|wasm|so|gz|whl|zip"
    r"|pm|py|rb|[ch]|go|rs|java|tsx?|md|txt|xml|ya?ml|pdf|tar|bz2|xz|deb|jar|dll|exe|log)\b"
)
_WORD = lazy(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{_SIZE_MIN},}}+(?!{_FILE})={{0,2}}")
_ADDRESS = lazy(r"0x[0-9a-fA-F]{40}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|Qm[1-9A-HJ-NP-Za-km-z]{44}")
# What a thing is called that is nobody's secret, right before it.
_PUBLIC_NAME = lazy(
    r"public[ _-]?(?:\w+[ _-])?keys?(?![^\n]{0,60}(?:private|secret))\b[^\n]{0,60}$|(?:"
    r"pub(?:lic)?[ _-]?key|address|addr|fingerprint|thumbprint|ksuid|nanoid|cuid2?|ulid"
    r"|uid|guid|etag|nonce|cid|"
    r"ray|cursor|request|trace|checksum|hash|digest|sha\d*|md5|pin-sha\d+|integrity|slug"
    r"|version|revision|"
    r"commit|wasm|order|object|file|video|list|playlist|doc(?:ument)?|message|event|user"
    r"|customer|invoice|ticket|"
    r"task|build|run|v|page|q|ref|gclid|fbclid|state|challenge|continuation|channel"
    r"|(?<!session[ _-])(?<!sess)(?<![a-z])ids?|[_-]id(?:-\d)?|site[ _-]?key|recipient"
    r"|cert(?:ificate)?|verification|txt|peer|signature|tx|transaction|wallet|mint|contract"
    r"|program|pubkey|vapid[ _-]?(?:public)?[ _-]?key|applicationserverkey|recipient|token_?id"
    r"|mappings|log[ _-]?id|sent to|peer[ _-]?id|enr|(?:sol|eth|btc|usdc|ada|dot) to|dnskey[ "
    r"\d]{1,12}|owner|(?<![a-z])(?:pub|public|spki|sig|pin|x5t(?:#s256)?)"
    r"|authority|payer|p256dh|verif(?:y|ying)[ _-]?key|donations?|monero|xmr|xrp|ripple"
    r"|solana|tron|trx|dogecoin|litecoin"
    r"|bytes|payload|blob|chunk|ciphertext|thumbnail|avatar|embedding|vector|gzip|zlib"
    r"|proto(?:buf)?|frame|(?<![a-z])iv|compressed|encoded|snapshot|body"
    r")(?:[ ]?\([^)\n]{1,20}\))?(?:[ ]is)?\\*[\"'`]?[ \t]{0,4}[:=#(]?[ \t]{0,4}\\*[\"'`]?$"
    r"|[\"'](?:x|y|n|e|kid|x5t|x5c)[\"']\s?:\s?\[?[\"']$|;\s?p=$|public key\b[^\n]{0,40}\n$"
)
_PUBLIC_AFTER = lazy(
    r"[\"'`]? (?:(?:is|was) |\()[\w'’ ]{0,24}(?:address|public key|fingerprint|id)\b"
)
_URL_PATH = lazy(r"https?://([^\s\"'`<>]*)$")
_WAY_IN = lazy(
    r"hook|token|secret|reset|invite|verify|magic|auth|login|activate|bot|share|key|/s/|catch"
)
_PART = lazy(r"[A-Z]?[a-z]{4,}|[A-Z][a-z]{3}|[A-Z]{5,}")
_VOWEL = lazy(r"(?i)[aeiouy]")


def without_random_words(text: str, tells_secret: Callable[[str], bool]) -> str:
    """Return a text in which every word of chance is replaced.

    What is words in base64 is no chance: tells_secret judges what they say.
    """

    def judged(match: re.Match[str]) -> str:
        word = match[0].rstrip("=").lstrip("/")
        if len(match[0]) > _SIZE_MAX or not _is_mixed(word) or _is_known(match, word):
            return match[0]
        said = _decoded(word)
        hide = tells_secret(said) if said else len(word) >= _NAMELESS_MIN and _is_random(word)
        return SECRET if hide and not _in_data(match) else match[0]

    return _WORD.sub(judged, text)


def _is_mixed(word: str) -> bool:
    digits = sum(map(str.isdigit, word))
    if not 0 < digits <= _DIGITS_MAX * len(word) or word.islower() or word.isupper():
        return False
    return len({c for c in word if c.isalpha()}) >= _LETTERS_MIN


def _is_random(word: str) -> bool:
    kinds = [_kind(c) for c in word if c.isalnum()]
    unlike = sum(a != b for a, b in pairwise(kinds))
    if unlike < _UNLIKE_MIN * (len(kinds) - 1):
        return False
    said = sum(len(part) for part in _PART.findall(word) if _VOWEL.search(part))
    return said <= _WORDS_MAX * len(word)


def _kind(character: str) -> int:
    return 0 if character.isdigit() else 1 if character.islower() else 2


def _is_known(match: re.Match[str], word: str) -> bool:
    """Whether it is a checksum, something public, a part of a file or the name of something."""
    head = before(match, 80).lower()
    if len(match[0]) >= _WIDTH_MIN and _is_line(match):
        return True
    if head.endswith(_CHECKSUMS) or word.lower().startswith(_CHECKSUMS):
        return True
    if word.startswith(_PUBLIC) or _ADDRESS.fullmatch(word) or _PUBLIC_NAME.search(head):
        return True
    if _PUBLIC_AFTER.match(match.string, match.end()):
        return True
    prefix = re.split(r"[_-]", word, maxsplit=1)[0]
    return (prefix != word and prefix in _IDS) or _in_path(head) or _in_block(match)


def _in_path(head: str) -> bool:
    """Whether a word is part of an address's path that says nothing of a way in."""
    path = _URL_PATH.search(head)
    return bool(path and "?" not in path[1] and not _WAY_IN.search(path[1]))


def _in_data(match: re.Match[str]) -> bool:
    """Whether a word is part of a picture or the like that an address carries."""
    text, start = match.string, match.start()
    begun = text.rfind("base64%2C", max(start - 4_000, 0), start)
    return begun >= 0 and " " not in text[begun:start] and "\n" not in text[begun:start]


def _in_block(match: re.Match[str]) -> bool:
    """Whether a word stands between the lines that begin and end something public."""
    text = match.string
    begun = text.rfind("-----BEGIN ", max(match.start() - 20_000, 0), match.start())
    if begun < 0 or text.find("-----END ", begun, match.start()) >= 0:
        return False
    return "PRIVATE" not in text[begun : begun + 60].partition("\n")[0]


def _is_line(match: re.Match[str]) -> bool:
    """Whether a word is a line of its own beside one of the same width."""
    text, start, end = match.string, match.start(), match.end()
    if text[max(start - 1, 0) : start] not in ("", "\n") or text[end : end + 1] not in ("", "\n"):
        return False
    width = end - start
    above = start - text.rfind("\n", 0, max(start - 1, 0)) - 2
    below = text.find("\n", end + 1) - end - 1
    return width in (above, below)


def _decoded(word: str) -> str:
    """Return what a word says in base64, if that is text."""
    try:
        said = binascii.a2b_base64(word.replace("-", "+").replace("_", "/") + "==")
        text = said.decode("utf-8")
    except ValueError:
        return ""
    return text if text.replace("\n", " ").isprintable() else ""
