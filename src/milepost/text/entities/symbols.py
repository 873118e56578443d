"""Names in code that stand in a sentence without any mark: told by how they are spelled."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.shapes import JOINTS, is_code
from milepost.text.words import STOP_WORDS

_NAME_CHARS_MAX = 80
_NAME = lazy(r"[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*")
_FLAG = lazy(r"--[a-z][a-z0-9]+(?:-[a-z0-9]+)*")
# A single small letter before a hump is a unit or a brand: kWh, mAh, iPhone, eBay.
_CAMEL = lazy(r"_*[a-z]{2,}\d*[A-Z]\w*[a-z0-9]\w*")
_PASCAL = lazy(r"(?:[A-Z][a-z0-9]+|[A-Z]+(?=[A-Z])){1,5}[A-Z][a-z]+")
_CLASS = lazy(
    r"\w+(?:Error|Exception|Warning|Handler|Controller|Factory|Client|Config|Configuration|Response|"
    r"Request|Session|Cookie|Table|View|ViewModel|Model|Test|Tests|Builder|Parser|Provider|Repository|"
    r"Context|Worker|Queue|Event|Listener|Type|Info|State|Adapter|Component|Options|Params|Result|List|"
    r"Stream|Reader|Writer|Iterator|Visitor|Middleware|Serializer|Validator|Resolver|Formatter|"
    r"Executor|Scheduler|Dispatcher|Wrapper|Mixin|Interface|Impl|Dto|Entity|Settings|Loader|Spec|Node)"
)
_BUILT_IN = frozenset(
    "none null nil undefined true false nan void int integer str string float double bool boolean "
    "list dict set tuple bytes object any char long short byte number array map vec option result "
    "self this cls super if else elif for while return def class import from as in is not and or "
    "with try except finally raise throw catch new delete const let var function async await yield "
    "lambda pass break continue static public private protected struct enum union typedef unsafe fn "
    "mut pub use mod impl trait where match loop switch case default do goto type interface extends "
    "print println printf main foo bar baz qux foobar yes no ok null_ptr nullptr usize u8 u16 u32 u64 "
    "i8 i16 i32 i64 f32 f64 size_t uint8 uint16 uint32 uint64 int8 int16 int32 int64 uint "
    "get post put patch head json xml yaml toml csv html http https utf-8 utf8".split()
)


def is_symbol(word: str, following: str) -> bool:
    """Tell whether a word in a sentence is a name in code; `following` is what stands after it."""
    if word[0] == "-":
        return _FLAG.fullmatch(word) is not None
    if len(word) > _NAME_CHARS_MAX or not word.isascii() or not _NAME.fullmatch(word):
        return False
    if following[:2] == "()":
        return len(word) > 2 and not is_built_in(word)
    if "." in word or ":" in word or "#" in word or ">" in word:
        return _is_member(word)
    if "_" in word:
        return _has_line(word)
    return _is_humped(word)


def is_built_in(word: str) -> bool:
    """Tell whether a word belongs to a language and not to a program."""
    return word.lower() in _BUILT_IN


def _is_member(word: str) -> bool:
    """Tell owner.member from a sentence that begins without a blank, and from abbreviations."""
    parts = JOINTS.split(word)
    if not is_code(word) or any(part.lower() in STOP_WORDS for part in parts[1:]):
        return False
    if "." in word and "_" not in word and parts[0][:1].isupper() and parts[-1][:1].isupper():
        return len(parts) == 2 and all(map(_is_humped, parts))
    return any(len(part) > 2 for part in parts)


def _has_line(word: str) -> bool:
    bare = word.strip("_")
    if not bare or not any(map(str.isalpha, bare)) or is_built_in(bare):
        return False
    if "_" in bare:
        return True
    # __init__ and _private are names, _stressed_ is Markdown.
    return word.startswith("__") == word.endswith("__") and not word.endswith("_") or word[:2] == "__"


def _is_humped(word: str) -> bool:
    if _CAMEL.fullmatch(word):
        return True
    return _PASCAL.fullmatch(word) is not None and _CLASS.fullmatch(word) is not None
