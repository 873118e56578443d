"""Which parts of a text are code and not sentences: there, most names are of no interest."""

from __future__ import annotations

from milepost.text.expressions import FENCE, lazy

_LINE = lazy(
    r"(?m)^[ \t]*(?:(?:async |await |def |import |return\b|assert |extern |void |int |static |"
    r"const |let |var |struct |#include|\$ |>>> |@\w+[ \t]*$|[}\])]+[;,]?[ \t]*$|/[/*] |(?:from|"
    r"with) \S+ (?:import|as) )[^\n]*|[^\n]*[;{][ \t]*$|[\w.\[\]'\"*-]+ ?(?::?=|\+=) ?\S[^\n]*|"
    r"(?:(?:if|for|while|elif|except|class)\b[^\n]*|try|else|finally):[ \t]*$|"
    r"!?\w[\w.]*\([^\n]*\)?[ \t]*(?:#[^\n]*)?$)"
)
_COMMAND = lazy(r"(?<!`)(`{1,2})(?!`)([^`\n]*?[^`\n\s]\s+[^`\n]+)\1(?!`)")
_SET = lazy(
    r" ?[:=] ?(?:\d[\w.]*|[\"'][^\"'\n]*[\"']|[Tt]rue|[Ff]alse|[Nn]one|null|[a-z]\w*)[ \t]*(?:\n|$)"
)
_CONSTANT = lazy(r"_*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def listed(text: str) -> bytearray | None:
    """Return where a text is code, a byte a character; None where it is nowhere."""
    marks: bytearray | None = None
    for pattern, sign in ((FENCE, "```"), (_LINE, "\n"), (_COMMAND, "`")):
        if sign not in text:
            continue
        for match in pattern.finditer(text):
            if marks is None:
                marks = bytearray(len(text))
            marks[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    return marks


def tells(word: str, text: str, end: int) -> bool:
    """Tell a name in code from a local one: it is called, a constant, a flag or a setting."""
    if word[0] == "-" or _CONSTANT.fullmatch(word):
        return True
    if "." in word:
        return word[0].isupper() or text[: end - len(word)].endswith("-m ")
    return text[end : end + 1] == "(" or _SET.match(text, end) is not None
