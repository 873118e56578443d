"""Turn text into the terms it is found by: words of any script, identifiers, paths."""

import re
import unicodedata
from functools import cache, lru_cache
from itertools import chain, pairwise

from milepost.text.chinese import divided
from milepost.text.english import english_stem
from milepost.text.german import compound_parts
from milepost.text.languages import (
    SIGNS,
    asking_words,
    folded,
    function_words,
    in_cyrillic,
    languages_of,
    stem_in,
)

# Bumped whenever the same text would give other terms; stores then analyse their memories anew.
ANALYSIS_VERSION = 3

# A memory is found by its beginning; past this many characters a text is a file, not a memory.
CHARACTERS_MAX = 100_000

# So many words tell the language of a text.
_WORDS_TOLD_BY = 100
_TOLD_BY = 1_000

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
_CHUNK = re.compile(r"[^\W_]+(?:[_./\\:-]+[^\W_]+)*")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_VERSION = re.compile(r"[vV]\d+(?:\.\d+)*")


def word_terms(word: str, language: str) -> tuple[str, ...]:
    """Return the terms by which a word of a text in a language is found."""
    if word.isascii():
        return _terms_in(language, word) if language else _terms_of(word)
    plain = unicodedata.normalize("NFKC", word)
    return _terms_in(language, plain) if language else _terms_of(folded(plain))


def distinct_words(text: str) -> tuple[set[str], str]:
    """Return the words of a text, and the language they are found in beside English, if any."""
    chunks = _CHUNK.findall(text)
    begun = chunks[:_WORDS_TOLD_BY]
    languages = _languages(text, begun if text.isascii() else list(map(folded, begun)))
    return set(chunks), languages[0] if languages else ""


def words(text: str) -> list[str]:
    """Return the lower-case words of a text in order, compound identifiers beside their parts."""
    return [word for chunk in _chunks(text) for word in _spellings(chunk)]


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning; all of them where none does."""
    chunks = _chunks(text)
    empty = STOP_WORDS.union(*map(function_words, _languages(text, chunks)))
    everything = [word for chunk in chunks for word in _spellings(chunk)]
    return [w for w in everything if w not in empty] or everything


def terms(text: str) -> list[str]:
    """Return the stems of the content words of a text, in order; of all words where none is."""
    chunks = _chunks(text)
    languages = _languages(text, chunks)
    if languages:
        whole = unicodedata.normalize("NFKC", text[:CHARACTERS_MAX])
        found = [t for chunk in _CHUNK.findall(whole) for t in _terms_in(languages[0], chunk)]
    else:
        found = list(chain.from_iterable(map(_terms_of, chunks)))
    return found or [stem(word) for chunk in chunks for word in _spellings(chunk)]


def question_terms(question: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the content words of a question, each with the terms it may be met by, best first.

    A question is short, so its language is a guess, and what it writes in two words a memory may
    write in one.
    """
    chunks = _CHUNK.findall(unicodedata.normalize("NFKC", question[:CHARACTERS_MAX]))
    languages = _languages(question, _chunks(question))
    empty = STOP_WORDS.union(*map(asking_words, languages))
    spelled = [(w, _wholes(folded(chunk))) for chunk in chunks for w in _spellings(chunk)]
    joined = ["", *(_joined(a, b) for (a, _), (b, _) in pairwise(spelled)), ""]
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for place, (word, wholes) in enumerate(spelled):
        plain = folded(word)
        if plain in empty:
            continue
        alike = [t for language in languages for t in _stems_in(language, word, plain)]
        alike += [stem(plain), *wholes]
        if not languages:
            alike += filter(None, joined[place : place + 2])
        found.setdefault(alike[0], (plain, tuple(dict.fromkeys(alike))))
    if found:
        return list(found.values())
    return [(word, (stem(word),)) for word in dict.fromkeys(folded(word) for word, _ in spelled)]


def languages(text: str) -> list[str]:
    """Return which languages a text may be in, likeliest first; none: English."""
    return _languages(text, _chunks(text[:_TOLD_BY]))


def _joined(word: str, following: str) -> str:
    """Return the term of two words written as one, nothing where they are no words."""
    both = word + following
    return stem(both) if both.isascii() and both.isalpha() else ""


@lru_cache(maxsize=50_000)
def _terms_of(chunk: str) -> tuple[str, ...]:
    if chunk.islower() and chunk.isalpha():
        return () if chunk in STOP_WORDS else (stem(chunk),)
    found = [stem(word) for word in _spellings(chunk) if word not in STOP_WORDS]
    return (*found, *_wholes(chunk))


@lru_cache(maxsize=50_000)
def _terms_in(language: str, chunk: str) -> tuple[str, ...]:
    """Return the terms of a chunk in another language, those of English among them.

    Names and borrowed words are asked for in any language, and a short question's is a guess.
    """
    found: list[str] = []
    for word in _spellings(chunk):
        plain = folded(word)
        if plain not in STOP_WORDS:
            found.extend({**dict.fromkeys(_stems_in(language, word, plain)), stem(plain): None})
    return (*found, *_wholes(folded(chunk)))


def _stems_in(language: str, word: str, plain: str) -> list[str]:
    parts = compound_parts(plain) if language == "german" else ()
    return [stem_in(language, word), *(stem_in(language, part) for part in parts)]


def _wholes(chunk: str) -> tuple[str, ...]:
    """Return the terms of a chunk as a whole that its spellings do not hold: set-up, v1.2."""
    if "-" in chunk and "--" not in chunk:
        return (stem(chunk.lower()),)
    return (chunk[1:],) if chunk[0] in "vV" and _VERSION.fullmatch(chunk) else ()


def _chunks(text: str) -> list[str]:
    return _CHUNK.findall(folded(text[:CHARACTERS_MAX]))


def _languages(text: str, chunks: list[str]) -> list[str]:
    chunks = chunks[:_WORDS_TOLD_BY]
    if SIGNS.isdisjoint(chunks) and (text.isascii() or not in_cyrillic(text)):
        return []
    return languages_of(text, chunks)


def _spellings(chunk: str) -> list[str]:
    if chunk.isascii():
        if chunk.isalnum():
            if chunk.isdigit() or chunk.islower() or chunk[1:].islower() or chunk.isupper():
                return [chunk.lower()]
            if _are_acronyms(chunk):
                return [chunk[:-1].lower()]
    elif _unspaced_run().search(chunk):
        return _unspaced(chunk)
    if "-" in chunk:
        return [word for part in chunk.split("-") if part for word in _spellings(part)]
    parts = [p.lower() for word in _WORD.findall(chunk) for p in _camel_parts(word)]
    whole = chunk.lower()
    return parts if parts == [whole] else [whole, *parts]


def _camel_parts(word: str) -> list[str]:
    if not word.isascii() or word.islower() or word[1:].islower() or word.isupper():
        return [word]
    return [part[:-1] if _are_acronyms(part) else part for part in _CAMEL.findall(word)]


def _are_acronyms(word: str) -> bool:
    """Tell whether a word is the plural of capitals: IDs, APIs."""
    return len(word) > 2 and word[-1] == "s" and word[:-1].isupper()


@cache
def _unspaced_run() -> re.Pattern[str]:
    """Return the pattern of unspaced scripts, which most programs never need."""
    return re.compile(f"[{_UNSPACED}]+")


def _is_chinese(characters: str) -> bool:
    """Tell whether a run is of Han characters alone; among kana they are Japanese."""
    return all(
        character > "\u33ff" and not "\uac00" <= character <= "\ud7af" for character in characters
    )


def _unspaced(chunk: str) -> list[str]:
    found: list[str] = []
    end = 0
    for run in _unspaced_run().finditer(chunk):
        found.extend(w.lower() for w in _WORD.findall(chunk[end : run.start()]))
        characters = run.group()
        for piece in divided(characters) if _is_chinese(characters) else [characters]:
            found.extend(piece)
            found.extend(a + b for a, b in pairwise(piece))
        end = run.end()
    found.extend(w.lower() for w in _WORD.findall(chunk[end:]))
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back unchanged."""
    if not word.isascii():
        return word
    if word.isalpha():
        return english_stem(word)
    # However an identifier is written: user_name, user-name, userName, username.
    bare = word.replace("_", "").replace("-", "")
    return stem(bare) if bare != word and bare.isalnum() else word
