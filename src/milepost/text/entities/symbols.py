"""Names in code that stand in a sentence without any mark: told by how they are spelled."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.shapes import JOINTS, is_code
from milepost.text.words import STOP_WORDS

_NAME_CHARS_MAX = 80
_NAME = lazy(r"[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)*")
_FLAG = lazy(r"--[a-z][a-z0-9]+(?:[-._][a-z0-9]+)*|-Z[a-z]+(?:-[a-z]+)*")
# Names that stand for any: my_module, MyClass, foo_bar.
_EXAMPLE = lazy(r"(?:my|your|some|foo|bar|example|dummy)_|(?:My|Your|Some|Foo|Example)[A-Z]")
# Headers of requests and answers; "X-Ray" is none.
_HEADER = lazy(
    r"(?:Content|Accept|Transfer|Cache|Access-Control|Proxy|WWW|Sec|Set|User|Last|Retry|Strict|If|"
    r"X-[A-Z][A-Za-z]+)-[A-Z][A-Za-z]+(?:-[A-Z][A-Za-z]+)*"
)
# A single small letter before a hump is a unit or a brand: kWh, mAh, iPhone, eBay.
_CAMEL = lazy(r"_*[a-z]{2,}\d*[A-Z]\w*[a-z0-9]\w*")
_PASCAL = lazy(r"(?:[A-Z][a-z0-9]+|[A-Z]+(?=[A-Z])){1,6}[A-Z][a-z]+")
_HUMPS = lazy(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]+|[A-Z]+")
# With what the names of classes begin and end, and those of products hardly do.
_FIRST = frozenset(
    "Abstract Base Custom Default Client Server Test Mock Fake Http HTTP Async Sync Static Dynamic "
    "String Array List Map Object File Config Option Build Feature External Internal Token Type "
    "Null Invalid Missing Bad Not Connection Permission Import Raw Ordered Named Typed Max Min TCP "
    "UDP SSL TLS URL SQL JSON XML IO".split()
)
_LAST = frozenset(
    "Error Exception Warning Handler Controller Factory Client Config Configuration Response "
    "Request Session Cookie Jar Table View Model Test Tests Case Builder Parser Provider "
    "Repository Context Worker Queue Event Listener Type Info State Adapter Component Options "
    "Params Args Result List Set Dict Map Stream Reader Writer Iterator Visitor Middleware "
    "Serializer Validator Resolver Formatter Executor Scheduler Dispatcher Wrapper Mixin Interface "
    "Impl Dto Entity Settings Loader Spec Node Key Index Server Resource Timeout Data Target Store "
    "Check Protocol Dependency Choice Option Backend Mode Holder Cache Base Item Lock Record File "
    "Entry Path Loop Engine Logger Message Payload Version Method Object Runner Token Stack Policy "
    "Job Monitor Dialog Page Widget Template Callback Storage Pool Observer Failure Mismatch "
    "Classifier Regressor Regression Scaler Encoder Decoder Transformer Estimator Selector "
    "Splitter Pipeline Vectorizer Kernel Tree Forest Guard Handle Future Task Sender Receiver "
    "Channel Mutex Semaphore Buf Buffer Header Headers Body Url Transport Auth Proxy Retry "
    "Exporter Downloader Crawler Descriptor Converter Generator Collector Registry Group Rule "
    "Rules".split()
)
# Protocols, and what is bought.
_NO_CLASSES = frozenset("WebSocket WebSockets PyPI MasterCard".split())
_BUILT_IN = frozenset(
    "none null nil undefined true false nan void int integer str string float double bool boolean "
    "list dict set tuple bytes object any char long short byte number array map vec option result "
    "self this cls super if else elif for while return def class import from as in is not and or "
    "with try except finally raise throw catch new delete const let var function async await yield "
    "lambda pass break continue static public private protected struct enum union typedef unsafe "
    "fn mut pub use mod impl trait where match loop switch case default do goto type interface "
    "extends print println printf main foo bar baz qux foobar yes no ok null_ptr nullptr usize u8 "
    "u16 u32 u64 i8 i16 i32 i64 f32 f64 size_t uint8 uint16 uint32 uint64 int8 int16 int32 int64 "
    "uint get post put patch head json xml yaml toml csv html http https utf-8 utf8".split()
)


def is_symbol(word: str, following: str) -> bool:
    """Tell whether a word in a sentence is a name in code; `following` is what stands after it."""
    if word[0] == "-":
        return _FLAG.fullmatch(word) is not None
    if "-" in word and _HEADER.fullmatch(word):
        return True
    if len(word) > _NAME_CHARS_MAX or not word.isascii() or not _NAME.fullmatch(word):
        return False
    if is_no_name(word):
        return False
    if following[:2] == "()":
        return len(word) > 2 and not is_no_name(word)
    if "." in word or ":" in word or "#" in word or ">" in word:
        return _is_member(word)
    if "_" in word:
        return _has_line(word)
    return _is_humped(word)


def is_no_name(word: str) -> bool:
    """Tell whether a word belongs to a language, or stands for any name."""
    return word.lower() in _BUILT_IN or _EXAMPLE.match(word) is not None


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
    if not bare or not any(map(str.isalpha, bare)) or is_no_name(bare):
        return False
    if "_" in bare:
        return word[-1] != "_" or word[0] == "_"
    # __init__ and _private are names, _stressed_ is Markdown.
    return (word.startswith("__") == word.endswith("__") and not word.endswith("_")) or word[
        :2
    ] == "__"


def _is_humped(word: str) -> bool:
    if _CAMEL.fullmatch(word):
        return True
    if _PASCAL.fullmatch(word) is None or word in _NO_CLASSES:
        return False
    humps = _HUMPS.findall(word)
    return len(humps) > 1 and (humps[0] in _FIRST or humps[-1] in _LAST or len(humps) > 3)
