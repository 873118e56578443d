"""Count tokens without a tokenizer: an estimate, ceilings, and an exact counter.

The tokenizer meant is o200k_base. It cuts a text into pieces by the classes of its characters and
then each piece into tokens. The cuts are repeated here on a string of class letters; what a piece
of a given shape costs on average was measured by `bench/calibrate_tokens.py`.

A ceiling holds for what people and programs write. Memories may hold anything, and a budget is a
promise: `at_most` also charges letters in no order of a language, signs without a pattern and rare
characters, which a tokenizer cuts into bits. What is written in earnest hardly has any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, sqrt
from operator import add, sub
from unicodedata import category

from milepost.text.expressions import lazy
from milepost.values import NamedTuple

# Class letters: a lower, A upper, 0 number, s space, n line end, q apostrophe, p punctuation, and
# beyond ASCII l/L Latin, c/C Cyrillic, h Han, x rare Han, k kana, g Hangul, r Arabic, o other
# letters, e emoji, j other signs.
_SIGNS = {" ": "s", "\t": "s", "\v": "s", "\f": "s", "\n": "n", "\r": "n", "'": "q"}
_RANGES = (
    ("l", 0x00C0, 0x0250),
    ("c", 0x0400, 0x0530),
    ("r", 0x0600, 0x0700),
    ("k", 0x3040, 0x3100),
    ("x", 0x3400, 0x4E00),
    ("h", 0x4E00, 0xA000),
    ("g", 0xAC00, 0xD7B0),
    ("x", 0x20000, 0x40000),
)

# The constants were fitted on English chat (LoCoMo, LongMemEval), Python, JavaScript, SQL,
# Markdown, JSON, logs, tracebacks, rendered memories and program messages in 17 languages.
# Tokens of a word by what stands before it and its case (`word_row`), for 1 to 16 letters.
_WORDS = {
    "sa": "1.0 1.0 1.0 1.0 1.02 1.03 1.04 1.05 1.08 1.08 1.12 1.15 1.18 1.24 1.31 1.5",
    "sA": "1.0 1.0 1.01 1.04 1.12 1.16 1.27 1.35 1.5 1.5 1.73 1.77 1.77 1.77 1.77 1.95",
    "sAA": "1.0 1.03 1.2 1.28 1.28 1.32 1.32 1.78 2.32 2.32 2.32 2.32 2.41 2.56 2.56 2.56",
    "a": "1.0 1.0 1.11 1.13 1.15 1.24 1.31 1.4 1.66 1.68 1.81 1.91 2.48 3.07 3.23 3.61",
    "A": "1.0 1.01 1.05 1.16 1.16 1.33 1.4 1.45 1.69 1.74 1.76 1.76 2.15 2.86 2.86 2.86",
    "AA": "1.0 1.01 1.33 1.51 1.51 1.51 1.9 2.11 2.46 2.82 2.94 3.27 3.52 3.52 3.52 3.53",
    "pa": "1.02 1.09 1.24 1.24 1.27 1.3 1.39 1.72 1.87 1.97 2.34 2.62 2.76 2.84 2.94 3.12",
    "pA": "1.21 1.64 1.64 1.64 1.64 1.68 1.9 2.14 2.4 2.4 2.75 2.75 2.75 2.75 2.75 2.79",
    "pAA": "1.0 1.33 1.63 1.63 1.68 1.82 1.82 2.02 2.46 2.61 3.03 3.47 3.47 3.47 3.47 3.47",
}
_MORE_LETTERS = 0.25
# Tokens of a run of signs, for 1 to 8 of them.
_PUNCTUATION = "1.01 1.01 1.54 1.78 2.04 2.47 2.93 3.28"
# A longer run is a ruler, and rulers are tokens of their own.
_MORE_SIGNS = 0.03
# What 's or 't adds to the word before it.
_CONTRACTION = 0.17
# Tokens per character of a piece that is not all ASCII, between those of prose (fewer) and of
# program messages (more).
_SCRIPTS = {"l": 1.4, "c": 0.29, "r": 0.37, "k": 0.62, "h": 0.82, "x": 3.0, "g": 0.66, "o": 0.37}
_SCRIPTS |= {"e": 2.0, "j": 1.0, "a": 0.2, "p": 0.3, "q": 0.3, "s": 0.0, "n": 0.0}
# The ceiling holds for 99.5 % of those texts: words outside the tokenizer's vocabulary cost more
# than the average of their shape, and a short text strays further from it than a long one.
_SLACK, _SPREAD = 1.02, 0.64
_WORD_SLACK, _SCRIPT_SLACK, _ACCENT_SLACK = 1.4, 0.35, 1.0

# Classes of characters that are common enough in the fitted texts for their mean cost to hold.
_MEASURED = frozenset("aAlLcCrkhg")

# Pairs of letters that make up 98.7 % of English prose and of programs.
_USUAL_PAIRS = frozenset(
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
# Such a share of other pairs is usual too, and what each of the rest costs.
_STRANGE_SHARE, _PAIR_COST = 0.02, 1.5
# Letters of a word beyond the first few: a long word need not be known, a very long one is none.
# So many a word are usual, and what each of the others costs.
_WORD_LETTERS, _USUAL_LETTERS, _LETTER_COST = 6, 1.0, 0.5
_SIGN_COST = 0.7
_HAN_COST = 1.2

_TABLE_NAMES = ("fb374d419588a4632f3f557e76b4b70aebbca790", "o200k_base.tiktoken")
_TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_SHAPES_MAX = 20_000
_LETTERS = lazy("[a-z]{2,}")
_SIGN_RUNS = lazy(r"[!-/:-@\[-`{-~]{5,}")
_ASCII_PIECES = lazy("sa+|sA+a*|0{1,3}|[pq]?A*a+|[spq]?A+|s?[pq]+n*|s*n+|s+(?=s)|s+")
_UPPER, _LOWER = "ACLhxkgro", "aclhxkgro"
_ANY_PIECES = lazy(
    f"[spqej]?(?:[{_UPPER}]*[{_LOWER}]+|[{_UPPER}]+)|0{{1,3}}|s?[pqej]+n*|s*n+|s+(?=s)|s+"
)


class _Classes(dict[int, str]):
    def __missing__(self, point: int) -> str:
        self[point] = number = _class_of(chr(point))
        return number


class _Costs(dict[str, float]):
    def __init__(self, cost: Callable[[str], float]) -> None:
        self._cost = cost

    def __missing__(self, shape: str) -> float:
        cost = self._cost(shape)
        if len(self) < _SHAPES_MAX:
            self[shape] = cost
        return cost


def estimate(text: str) -> int:
    """Estimate the tokens of a text, within a few per cent for English and code."""
    return round(sum(map(_MEAN.__getitem__, pieces(text))))


def ceiling(text: str) -> int:
    """Return a count that nearly no text exceeds, and never more than its UTF-8 bytes."""
    return _ceiling(*_likely(text))


def at_most(text: str) -> int:
    """Return a count that no text exceeds, however strange it is."""
    return cost(text).tokens


class Cost(NamedTuple):
    """What a text costs at most, in parts: the costs of lines add up to that of the lines.

    strange_pairs: of letters, among all pairs; late_letters: those past the first of each word.
    strange: tokens of signs and characters that are charged one by one.
    """

    likely: float
    size: int
    pairs: int
    strange_pairs: int
    words: int
    late_letters: int
    strange: float

    def plus(self, other: Cost) -> Cost:
        """Return what both cost together."""
        return Cost(*map(add, self, other))

    def minus(self, part: Cost) -> Cost:
        """Return what is left without a part."""
        return Cost(*map(sub, self, part))

    @property
    def tokens(self) -> int:
        """The count that it does not exceed."""
        odd = max(0.0, self.strange_pairs - _STRANGE_SHARE * self.pairs)
        late = max(0.0, self.late_letters - _USUAL_LETTERS * self.words)
        charge = ceil(_PAIR_COST * odd + _LETTER_COST * late + self.strange)
        return min(self.size, _ceiling(self.likely, self.size) + charge)


def cost(text: str) -> Cost:
    """Return what a text costs at most, as it can be added up."""
    words = _LETTERS.findall(text.lower())
    return Cost(
        *_likely(text),
        sum(len(word) - 1 for word in words),
        sum(map(_strange_pairs, words)),
        len(words),
        sum(max(0, len(word) - _WORD_LETTERS) for word in words),
        _SIGN_COST * _turns(text) + _HAN_COST * _rare_han(text),
    )


def _ceiling(likely: float, size: int) -> int:
    return min(size, ceil(likely + _SPREAD * sqrt(likely)))


def _likely(text: str) -> tuple[float, int]:
    """Return what a text will hardly exceed but by chance, and its bytes."""
    likely = sum(map(_HIGH.__getitem__, pieces(text)))
    if text.isascii():
        return likely, len(text)
    # Signs and scripts that were not measured may be cut into their bytes.
    rare = "".join(c for c in text if c > "\x7f" and _CLASSES[ord(c)] not in _MEASURED)
    return likely + _size(rare), _size(text)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=8_192)
def _strange_pairs(word: str) -> int:
    """Return how many pairs of letters of a word are unusual."""
    return sum(word[i : i + 2] not in _USUAL_PAIRS for i in range(len(word) - 1))


def _turns(text: str) -> int:
    """Return how often one sign follows another; up to four in a row programs have anyway."""
    runs: list[str] = _SIGN_RUNS.findall(text)
    return sum(a != b for run in runs for a, b in pairwise(run))


def _rare_han(text: str) -> int:
    if text.isascii():
        return 0
    return sum("\u4e00" <= c <= "\u9fff" and not _is_common(c) for c in text)


@cache
def _is_common(han: str) -> bool:
    """Whether a character is of the first level of a Chinese or Japanese standard."""
    levels = (("gb2312", 0xD8), ("big5", 0xC7), ("shift_jis", 0x98))
    codes = ((han.encode(name, "ignore"), end) for name, end in levels)
    return any(len(code) == 2 and code[0] < end for code, end in codes)


def pieces(text: str) -> list[str]:
    """Return the shapes of the pieces that the tokenizer never joins, in order."""
    shape = text.translate(_CLASSES)
    return (_ASCII_PIECES if text.isascii() else _ANY_PIECES).findall(shape)


def word_row(shape: str) -> str:
    """Name the row of a word: what stands before it (s, p or nothing) and its case (a, A, AA)."""
    before = {"s": "s", "p": "p", "q": "p"}.get(shape[0], "")
    letters = shape.lstrip("spq")
    if letters.islower():
        return f"{before}a"
    return f"{before}AA" if letters.isupper() and len(letters) > 1 else f"{before}A"


def exact_counter(cache_dir: str | None = None) -> Callable[[str], int] | None:
    """Return a tiktoken counter if the package and its table are here, else None; never download.

    The table is looked for under tiktoken's own cache name and as `o200k_base.tiktoken`.
    """
    ranks = _read_table(cache_dir) if cache_dir else None
    if ranks is None:
        return None
    try:
        from tiktoken import Encoding
    except ImportError:
        return None
    # Built by hand: tiktoken's own loader would look in the environment and then the network.
    encoding = Encoding("o200k_base", pat_str=_cuts(), mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _class_of(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    kind = category(character)
    if kind[0] == "N":
        return "0"
    if kind[0] not in "LM":
        return "s" if character.isspace() else _sign_class(character)
    if character.isascii():
        return "A" if kind == "Lu" else "a"
    point = ord(character)
    script = next((name for name, first, end in _RANGES if first <= point < end), "o")
    return script.upper() if kind == "Lu" and script in "lc" else script


def _sign_class(character: str) -> str:
    if character.isascii():
        return "p"
    return "e" if ord(character) > 0xFFFF else "j"


def _mean(shape: str) -> float:
    core = shape.strip("sn")
    letters = core.lstrip("pq")
    if not core or core[0] == "0":
        return 1.0
    if not _is_ascii(shape):
        return max(1.0, sum(_SCRIPTS[letter] for letter in shape.lower()))
    if shape in ("qa", "qaa"):
        return _CONTRACTION
    if not letters:
        return _from_row(_PUNCTUATION, len(core), _MORE_SIGNS)
    return _from_row(_WORDS[word_row(shape)], len(letters), _MORE_LETTERS)


def _high(shape: str) -> float:
    mean = _mean(shape)
    if _is_ascii(shape):
        return mean * _SLACK + max(0.0, mean - 1) * _WORD_SLACK
    return mean * (_SLACK + _SCRIPT_SLACK) + shape.count("l") * _ACCENT_SLACK


def _is_ascii(shape: str) -> bool:
    return not shape.strip("aApqsn0")


def _from_row(row: str, length: int, more: float) -> float:
    costs = row.split()
    return float(costs[min(length, len(costs)) - 1]) + more * max(0, length - len(costs))


def _read_table(cache_dir: str) -> dict[bytes, int] | None:
    from base64 import b64decode
    from hashlib import sha256
    from pathlib import Path

    for path in (Path(cache_dir, name) for name in _TABLE_NAMES):
        table = path.read_bytes() if path.is_file() else b""
        if sha256(table).hexdigest() == _TABLE_SHA256:
            rows = (line.split() for line in table.splitlines())
            return {b64decode(token): int(rank) for token, rank in rows}
    return None


def _cuts() -> str:
    upper, lower = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
    before, after = r"[^\r\n\p{L}\p{N}]?", "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    words = f"{before}[{upper}]*[{lower}]+{after}|{before}[{upper}]+[{lower}]*{after}"
    return rf"{words}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


_CLASSES, _MEAN, _HIGH = _Classes(), _Costs(_mean), _Costs(_high)
