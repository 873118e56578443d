"""What a text says once it is read as those read it for whom it was hidden or encoded."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from urllib.parse import unquote

from milepost.text.disguise import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_TAGS = range(0xE0020, 0xE007F)
# Letters of other alphabets that pass for Latin ones within a word.
_PASSING = str.maketrans("аеорсухіјѕԁһӏԛԝɡαεορνι", "aeopcyxijsdhlqwgaeopvi")
_MIXED = re.compile(r"[a-z]*[аеорсухіјѕԁһӏԛԝɡαεορνι][a-zа-яα-ω]*")
_SPACED = re.compile(r"(?<![\w.])\w([ .\-_*·])\w(?:\1\w)+(?![\w])")
# Figures that stand for letters, within words.
_FIGURES = str.maketrans("0134578@$", "oieastbas")
_FIGURED = re.compile(r"(?<![\w-])(?=[\d@$]*[a-z])(?:[a-z]*[013457@$]){1,4}[a-z]+(?![\w-])")
_FIGURED_MIN = 2
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w+/=])")
_HEX = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2}){16,}(?!\w)")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[^\s%]*){3,}")
_SENTENCE_CHARS = re.compile(r"[\w\s.,:;!?'\"&/@()-]+")
# The most frequent English words, each letter moved by thirteen, and from behind.
_MOVED = frozenset("gur naq lbh lbhe nyy gb bs".split())
_BACKWARDS = frozenset("eht dna uoy ruoy lla snoitcurtsni tpmorp metsys".split())
_COMMON_MIN = 2
_WORD = re.compile(r"[a-z]+")


def plain(text: str) -> str:
    """Return a text in small letters, in which no sign is hidden or passes for another."""
    if text.isascii():
        lowered = text.lower()
    else:
        hidden = "".join(chr(ord(sign) - 0xE0000) for sign in text if ord(sign) in _TAGS)
        shown = unicodedata.normalize("NFKC", visible(text)) + (f"\n{hidden}" if hidden else "")
        lowered = _MIXED.sub(_in_latin, shown.lower())
    return _SPACED.sub(lambda match: re.sub(r"[^\w]|_", "", match[0]), lowered)


def _in_latin(word: re.Match[str]) -> str:
    return word[0].translate(_PASSING) if re.search(r"[a-z]", word[0]) else word[0]


def unmasked(text: str, lowered: str) -> Iterator[str]:
    """Yield what a text says in codes that anybody can read, in small letters."""
    words = set(_WORD.findall(lowered)) if len(text) < 4_000 else set()
    if len(words & _MOVED) >= _COMMON_MIN:
        yield codecs.encode(lowered, "rot13")
    if len(words & _BACKWARDS) >= _COMMON_MIN:
        yield lowered[::-1]
    if len(_FIGURED.findall(lowered)) >= _FIGURED_MIN:
        yield _FIGURED.sub(lambda word: word[0].translate(_FIGURES), lowered)
    for code, read in ((_BASE64, _base64), (_HEX, bytes.fromhex), (_PERCENT, _percent)):
        for found in code.finditer(text):
            said = _decoded(read(found[0]))
            if said:
                yield text[: found.start()][-100:].lower() + said


def _base64(code: str) -> bytes:
    code = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(code + "=" * (-len(code) % 4))
    except binascii.Error:
        return b""


def _percent(code: str) -> bytes:
    return unquote(code).encode()


def _decoded(read: bytes) -> str:
    """Return what was decoded in small letters, if it is words."""
    try:
        said = read.decode()
    except UnicodeDecodeError:
        return ""
    return said.lower() if " " in said and said.isprintable() else ""
