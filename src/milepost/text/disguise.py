"""What in a text is hidden or poses as something else, and how it is made plain."""

import re

from milepost.text.expressions import lazy

# Characters of scripts whose words need joiners: Arabic, the Indic scripts, Burmese, Khmer,
# Mongolian.
_JOINED = (
    "\u0620-\u06dc\u06de-\u074f\u0750-\u077f\u08a0-\u08e1\u08e3-\u0dff\u1000-\u109f"
    "\u1780-\u17b3\u17b6-\u17ff\u1810-\u18af\ufb50-\ufdff\ufe70-\ufefc"
)
# What has no shape of its own: all that Unicode lets a font leave out, and marks of annotation.
_SHAPELESS = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSEEN = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\u200c\u200d{_SHAPELESS}]"
)

# What looks like <, and like a letter, a slash and a bar behind it.
_LIKE = "\uff1c\ufe64\u2329\u3008\u27e8\u300a\u27ea\u276e\u2770\u29fc\u02c2\u1438"
_LETTER_LIKE = "\uff21-\uff5a\U0001d400-\U0001d7ff"
_SLASH = "/\uff0f\u2215\u2044\u29f8"
_BAR = "|\uff5c\u2223"
# The first words of frames that clients, models and we ourselves put around texts; some have more
# words, as tool_result has.
_KNOWN = (
    "(?i:milepost|system|(?-i:SYS)|user|assistant|human|developer|function|tool|invoke|antml"
    r"|parameter|instruction|im_start|im_end)s?(?![^\W_])"
)
_FETCHING = "img|image|picture|source|video|audio|track|iframe|object|embed|svg|link|script|input"
# Behind a line break as programs write it, which is no word.
_QUOTED = r"(?<=\\[nrt]<)"
_HEADER = r"(?<=include\s<)\w+>"
_TYPES = r"(?:class|typename|const)\s"
_FRAMES = lazy(rf"""(?x)[<{_LIKE}\[](?:
    # The end of a frame, and tokens such as <|end|>; `sort < /dev/null` has neither.
    (?<!\[)(?=[{_SLASH}]\s*[\w:{_BAR}]|\s+[{_SLASH}]\s*(?:{_KNOWN}|[\w:.-]+\s*>))
    | (?<!\[)(?=[{_BAR}]\w|\s*[{_BAR}]\s*\w[^\n<>‹]{{0,80}}[{_BAR}]\s*>)
    | (?<=<)(?=!--|!\[CDATA|!(?i:doctype|entity)|%2[fF])
    # A frame that is known, however it is written; `a < user.limit` and `List<User>` are none.
    | (?<=<)(?:(?<!\w<)|{_QUOTED})(?=[^\w\s=-]{{0,3}}{_KNOWN})
    | (?<=[{_LIKE}])(?=\s*[^\w\s]{{0,3}}{_KNOWN}|\s*[{_LETTER_LIKE}])
    | (?<=<)(?=\s+{_KNOWN}[\w:.-]*(?:\s+[\w:-]+=[^<>‹]*|\s*/?)>)
    | (?<=<)(?=im_|(?:start|end)_of_|milepost|antml)
    | (?<=<)(?=(?:function|tool|system)[-_]|(?:system|assistant|human)\s*/?>)
    | (?<=<)(?=MILEPOST|ANTML|(?:FUNCTION|TOOL|SYSTEM)[-_]|(?:SYSTEM|ASSISTANT|HUMAN)\s*/?>)
    # What fetches, and any tag that does not belong to the word before it, as in `list<str>`.
    | (?<=<)(?=(?i:{_FETCHING})[\s/]+[\w:@.-]+\s*=)
    | (?<=<)(?:(?<![\w<]<)(?<!::<)|{_QUOTED})(?!https?://|[A-Z]\d?\b|{_TYPES}|{_HEADER})
      (?=[^\W\d][\w:-]*(?:\s[^<>‹]{{0,300}}|/)?>)
    | (?<=\[)(?=\s*/?\s*(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|PROMPT)\s*\])
)""")
# Who speaks, at the beginning of a line: `Human:`, `**System**:`, `### Instruction`.
_SPEAKER = re.compile(
    r"^[^\w\n‹]*(?:_+[^\w\n‹]*)?"
    r"(?=(?:(?i:system|human|assistant|ｓｙｓｔｅｍ|ｈｕｍａｎ|ａｓｓｉｓｔａｎｔ)"
    r"|U(?:ser|SER)|D(?:eveloper|EVELOPER)|T(?:ool|OOL))"
    r"(?:[ \t]+(?i:prompt|message|instructions?))?[*_`)\]]*\s*(?:\([^)\n]{0,40}\)\s*)?[:\uff1a]"
    r"|(?:(?<=#)|(?<=#\s))\s*(?:(?i:instructions?|response|input)\b"
    r"|(?i:system|human|assistant|user)\s*:?\s*$))",
    re.MULTILINE,
)
# Brackets after which no address comes make no image, unless an address is given for their words.
_IMAGE = re.compile(r"!(?=\[)(?!\[(?:\\.|[^\[\]\\])*\](?!\s?\())", re.DOTALL)
_ADDRESS_OF_WORDS = re.compile(r"\]:\s*\S*[:/&]")
# What stands for the first character of whatever posed as a frame.
_BROKEN = "‹"
_BETWEEN = f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
_HIDDEN = lazy(f"[{_SHAPELESS}]|{_BETWEEN}")
_UNREADABLE = lazy(
    f"[\x7f-\x9f\u2028\u2029\u200c\u200d\ud800-\udfff\ufffe\uffff{_SHAPELESS}{_LIKE}<]"
    r"|!(?=\[)|\[(?=\s*/?\s*[A-Z_]{3,}\s*\])"
)


def visible(text: str) -> str:
    """Return a text without what is hidden in it or steers a terminal; line breaks stay."""
    if not _UNSEEN.search(text):
        return text
    return _HIDDEN.sub("", _CONTROLS.sub("\ufffd", _BREAKS.sub("\n", text)))


def broken(text: str) -> str:
    """Return a visible text in which frames, speakers and images are only words."""
    if "<" in text or "[" in text or not text.isascii():
        text = _FRAMES.sub(_BROKEN, text)
    text = _SPEAKER.sub(lambda match: f"{match[0]}{_BROKEN}", text)
    if "![" not in text:
        return text
    # A link is not fetched; most programs mean the same with a space.
    return imageless(text) if _ADDRESS_OF_WORDS.search(text) else _IMAGE.sub("! ", text)


def imageless(text: str) -> str:
    """Return a text that has no image, whatever stands before or behind it."""
    return text.replace("![", "! [")


def escaped(written: str, wide: str = "") -> str:
    """Return JSON that says the same and hides nothing from whoever sees it unread.

    wide: how a character beyond 16 bits is written, where not as two halves.
    """
    return _UNREADABLE.sub(lambda match: _escape(match[0], wide), written)


def _escape(character: str, wide: str) -> str:
    code = ord(character)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    if wide:
        return wide.format(code)
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
