"""What a strange text costs beyond the usual: a tokenizer cuts what it has never seen into bits.

The ceiling of `tokens` holds for what people and programs write. Memories may hold anything, and a
budget is a promise: letters in no order of a language, signs without a pattern and rare characters
are charged here. On what is written in earnest the charge is near nothing.
"""

import re
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil

# Pairs of letters that make up 98.7 % of English prose and of programs.
_PAIRS = frozenset(
    "ab ac ad af ag ai ak al am an ap ar as at au av aw ax ay ba bc be bi bj bl bo br bs bu by ca "
    "cc ce ch ci ck cl cm co cp cr cs ct cu da dd de di dl do dp dr ds dt du dy ea eb ec ed ee ef "
    "eg ei el em en eo ep eq er es et ev ew ex ey fa fc fe ff fi fl fo fr ft fu ga ge gh gi gl gm "
    "gn go gr gs gt gu ha he hi ho hr hs ht hu ia ib ic id ie if ig ik il im in io ip ir is it iv "
    "ix iz je jo js ka ke kg ki kn ks la ld le lf li ll lo lp ls lt lu ly ma mb md me mi mm mo mp "
    "ms mu na nc nd ne nf ng ni nk nl nm nn no np ns nt nu nv ny oa ob oc od oe of og oi oj ok ol "
    "om on oo op or os ot ou ov ow ox pa pe pi pl po pp pr ps pt pu py qu ra rc rd re rf rg ri rk "
    "rl rm rn ro rp rr rs rt ru rv ry sa sc sd se sg sh si sk sl so sp sr ss st su sw sy ta tc td "
    "te tf th ti tl to tp tr ts tt tu tw ty ua ub uc ud ue ug ui ul um un up ur us ut va ve vi wa "
    "we wh wi wn wo wr ws xc xe xi xp xt ye yi yn yp ys yt ze".split()
)
# So many strange pairs are usual, and what each of the others costs.
_USUAL, _PAIR_COST = 0.02, 1.5
# Letters of a word beyond the first few: a long word need not be known, a very long one is none.
# So many a word are usual, and what each of the others costs.
_WORD_LETTERS, _USUAL_LETTERS, _LETTER_COST = 6, 1.0, 0.5
_SIGN_COST = 0.7
_HAN_COST = 1.2


def surcharge(text: str) -> int:
    """Return how many tokens a text may cost beyond its ceiling."""
    return ceil(_of_letters(text) + _of_signs(text) + _of_han(text))


def _of_letters(text: str) -> float:
    words = _words().findall(text.lower())
    pairs = sum(len(word) - 1 for word in words)
    strange = sum(map(_strange, words))
    beyond = sum(max(0, len(word) - _WORD_LETTERS) for word in words)
    long = max(0.0, beyond - _USUAL_LETTERS * len(words))
    return _PAIR_COST * max(0.0, strange - _USUAL * pairs) + _LETTER_COST * long


@lru_cache(maxsize=8_192)
def _strange(word: str) -> int:
    """Return how many pairs of letters of a word are unusual."""
    return sum(word[i : i + 2] not in _PAIRS for i in range(len(word) - 1))


def _of_signs(text: str) -> float:
    runs: list[str] = _signs().findall(text)
    return _SIGN_COST * sum(a != b for run in runs for a, b in pairwise(run))


def _of_han(text: str) -> float:
    if text.isascii():
        return 0.0
    han = [c for c in text if "\u4e00" <= c <= "\u9fff"]
    return _HAN_COST * sum(not _is_common(c) for c in han)


@cache
def _is_common(han: str) -> bool:
    """Whether a character is of the first level of a Chinese or Japanese standard."""
    levels = (("gb2312", 0xD8), ("big5", 0xC7), ("shift_jis", 0x98))
    for name, end in levels:
        code = han.encode(name, "ignore")
        if len(code) == 2 and code[0] < end:
            return True
    return False


@cache
def _words() -> re.Pattern[str]:
    return re.compile("[a-z]{2,}")


@cache
def _signs() -> re.Pattern[str]:
    # Up to four in a row are what programs have anyway.
    return re.compile(r"[!-/:-@\[-`{-~]{5,}")
