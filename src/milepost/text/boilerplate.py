"""Whether a text says nothing that anybody asks for later: banners, notices, progress, courtesies.

Such texts are made of few words, and a text says something as soon as it has words of its own.
"""

from __future__ import annotations

import re

from milepost.text.boilerplate_words import (
    BANNER,
    BAR,
    CHINESE,
    CLOSING,
    COURTESY,
    LICENCE,
    LICENCE_WORDS,
    LOG,
    LOG_BEGIN,
    LOG_LINE,
    LOGGED,
    PLAIN,
    TROUBLE,
)
from milepost.text.expressions import lazy

# More than this is no banner.
_CHARS_MAX = 4_000
# So much of what a text is about may be words of its own, if it has at least so many words.
_SHARE, _WORDS_MIN = 0.8, 4
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# What names a thing, as words do not; a small number alone names none.
_NAME = re.compile(r"\S*(?:\w[/\\:.]\w|[_@=`]|\d\D?\S)\S*")
_HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_BAR, _LICENCE, _CHINESE = lazy(f"(?m){BAR}"), lazy(LICENCE), lazy(f"(?i){CHINESE}")
_LOGGED, _LOG_LINE, _TROUBLE = lazy(LOGGED), lazy(f"(?i){LOG_LINE}"), lazy(TROUBLE)
_LOG_BEGIN, _CLOSING = lazy(f"(?i)(?:{LOG_LINE}|{LOG_BEGIN})"), lazy(CLOSING)


def says_nothing(text: str) -> bool:
    """Tell whether a text holds nothing that anybody asks for later."""
    said = text.strip()
    if not said or len(said) > _CHARS_MAX:
        return False
    if _HAN.search(said):
        return _CHINESE.fullmatch(said) is not None
    lines = [line for line in said.splitlines() if not _is_bar(line)]
    if not any(map(str.isalnum, "".join(lines))):
        return True
    if _is_talk(lines) or _is_licence(said) or _CLOSING.fullmatch(said):
        return True
    return (_is_log(said) and _share(lines, LOG) >= _SHARE) or _is_log_by_line(lines)


def _is_talk(lines: list[str]) -> bool:
    """Whether lines are kind words, or what stands around a page; figures and names are neither."""
    told = any(_NAME.search(line) for line in lines)
    return not told and any(_share(lines, words) >= _SHARE for words in (COURTESY, BANNER))


def _is_log_by_line(lines: list[str]) -> bool:
    """Whether every line is one of a program at work, and none tells of trouble."""
    told = [line for line in lines if line.strip()]
    form = _LOG_LINE if len(told) == 1 else _LOG_BEGIN
    return all(form.match(line) and not _TROUBLE.search(line) for line in told)


def _is_licence(text: str) -> bool:
    return _LICENCE.search(text) is not None and _share([text], LICENCE_WORDS) >= _SHARE / 2


def _is_log(text: str) -> bool:
    return _LOGGED.search(text) is not None


def _share(lines: list[str], empty: frozenset[str]) -> float:
    """Return which part of what lines are about is made of some words; of few words all must be."""
    words = [word for line in lines for word in _words(line)]
    about = [word for word in words if word not in PLAIN or word in empty]
    known = sum(word in empty for word in about)
    if len(about) < _WORDS_MIN:
        return float(known == len(about) > 0)
    return known / len(about)


def _is_bar(line: str) -> bool:
    plain = line.isascii() and "%" not in line and "[" not in line and "...." not in line
    return not plain and _BAR.search(line) is not None


def _words(line: str) -> list[str]:
    """Return the words of a line, without what names things: numbers, paths, code."""
    return _WORD.findall(_NAME.sub(" ", line.lower()))
