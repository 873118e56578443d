"""Turn text into the terms it is found by: words of any script, identifiers, paths."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

# Bumped whenever the same text would give other terms; stores then analyse their memories anew.
ANALYSIS_VERSION = 1

# A memory is found by its beginning; past this many characters a text is a file, not a memory.
CHARACTERS_MAX = 100_000

STOP_WORDS = frozenset(
    "a an the and or but if then else of to in on at for with by from as is are was were be been "
    "being do does did done have has had having i you he she it we they me him her us them my your "
    "his its our their this that these those what which who whom whose when where why how not no "
    "nor so than too very can could will would shall should may might must about into over under "
    "again there here all any both each few more most other some such only own same s t don now d "
    "ll m re ve".split()
)

# Scripts written without spaces (and Hangul, whose particles cling): single characters and pairs.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3105-\u312f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_ACCENT = re.compile("[\u0300-\u036f]")
_CHUNK = re.compile(r"[^\W_]+(?:[_./\\:]+[^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")
_VOWELS = frozenset("aeiouy")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def located_terms(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the terms of each word of a text with where the word stands."""
    for match in _CHUNK.finditer(text):
        yield match.start(), match.end(), _terms_of(_folded(match.group()))


def words(text: str) -> list[str]:
    """Return the lower-case words of a text in order, compound identifiers beside their parts."""
    return [word for chunk in _chunks(text) for word in _spellings(chunk)]


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning; all of them where none does."""
    everything = words(text)
    return [w for w in everything if w not in STOP_WORDS] or everything


def terms(text: str) -> list[str]:
    """Return the stems of the content words of a text, in order; of all words where none is."""
    chunks = _chunks(text)
    found = [term for chunk in chunks for term in _terms_of(chunk)]
    return found or [stem(word) for chunk in chunks for word in _spellings(chunk)]


@lru_cache(maxsize=50_000)
def _terms_of(chunk: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _spellings(chunk) if word not in STOP_WORDS)


def _chunks(text: str) -> list[str]:
    return _CHUNK.findall(_folded(text[:CHARACTERS_MAX]))


def _folded(text: str) -> str:
    if text.isascii():
        return text
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare)


def _spellings(chunk: str) -> list[str]:
    if chunk.isascii() and chunk.isalnum() and (chunk.islower() or chunk.isdigit()):
        return [chunk]
    if not chunk.isascii() and _unspaced_run().search(chunk):
        return _unspaced(chunk)
    parts = [p.lower() for word in _WORD.findall(chunk) for p in _camel_parts(word)]
    whole = chunk.lower()
    return parts if parts == [whole] else [whole, *parts]


def _camel_parts(word: str) -> list[str]:
    if not word.isascii() or word.islower() or word[1:].islower() or word.isupper():
        return [word]
    return _CAMEL.findall(word)


@cache
def _unspaced_run() -> re.Pattern[str]:
    """Return the pattern of unspaced scripts, which most programs never need."""
    return re.compile(f"[{_UNSPACED}]+")


def _unspaced(chunk: str) -> list[str]:
    found: list[str] = []
    end = 0
    for run in _unspaced_run().finditer(chunk):
        found.extend(w.lower() for w in _WORD.findall(chunk[end : run.start()]))
        characters = run.group()
        found.extend(characters)
        found.extend(a + b for a, b in pairwise(characters))
        end = run.end()
    found.extend(w.lower() for w in _WORD.findall(chunk[end:]))
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back unchanged."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _without_tense(_singular(word))
    if word[-1] == "e" and len(word) > 2:
        word = word[:-1]
    if word[-1] == "y" and len(word) > 2 and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word[:-1] if word.endswith("ll") and len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "sui" else word


def _without_tense(word: str) -> str:
    if word.endswith("ied"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("eed"):
        return word[:-1]
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 1 and not _VOWELS.isdisjoint(root):
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    if word.endswith("ily"):
        return word[:-2]
    return word[:-2] if word.endswith("ly") and len(word) > 6 else word
