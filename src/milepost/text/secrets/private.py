"""What stands between <private> and </private> is for nobody's memory."""

from __future__ import annotations

from milepost.text.expressions import lazy

# Characters that take no space, with which a tag or a token can be disguised.
_INVISIBLE = "\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
_OPENS = r"(?:<|&(?:amp;)*lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c|%(?:25)*3c|\u2039)"
_CLOSES = r"\\*(?:>|&(?:amp;)*gt;?|&#0*62;?|&#x0*3e;?|\\u003e|\\x3e|%(?:25)*3e|\u203a)"
_SLASH = r"(?:/|&#0*47;?|&sol;|%(?:25)*2f|\\u002f)"
# Letters and brackets of other scripts that look the same; what is wide or bold Unicode tells.
_ALIKE = dict(zip("рсіνѵаеοο\u2329\u3008\u27e8\u232a\u3009\u27e9", "pcivvaeoo<<<>>>", strict=True))
_SPACE = r"(?:\s|\\[nrt]|%20|\+){0,9}"
_DISGUISE = lazy(rf"(?<=[!-~])[{_INVISIBLE}]+(?=[!-~])")
# The name must end there: <private-key> and <private/header.h> are other things. A tag that is
# never closed ends with its line.
_TAG = lazy(
    rf"(?i){_OPENS}{_SPACE}(?:\\?(?P<closing>{_SLASH}))?{_SPACE}private"
    rf"(?:(?:{_SPACE}|{_SLASH}|(?:\s|%20)[^<>]{{0,80}}?){_CLOSES}|{_SPACE}\Z|(?=\n))"
)


def without_private(text: str) -> str:
    """Return a text without its private spans.

    One that is not closed reaches to the end, and one that was not opened began before the text.
    """
    folded = text if text.isascii() else text.translate(_FOLDED)
    if "private" not in folded.lower():
        return text
    parts, depth, end = [], 0, 0
    for tag in _TAG.finditer(folded):
        if depth == 0 and (end or not tag["closing"]):
            parts.append(text[end : tag.start()])
        depth = max(depth - 1, 0) if tag["closing"] else depth + 1
        end = tag.end()
    if depth == 0:
        parts.append(text[end:])
    return "".join(parts)


def without_disguise(text: str) -> str:
    """Return a text without the invisible characters between visible ones of ASCII."""
    if text.isascii():
        return text
    return _DISGUISE.sub("", text)


class _Folded(dict[int, str]):
    """Characters as the plain ones that they look like, one for one."""

    def __missing__(self, point: int) -> str:
        from unicodedata import normalize

        character = chr(point)
        plain = _ALIKE.get(character) or normalize("NFKC", character)
        return self.setdefault(point, plain if len(plain) == 1 else character)


_FOLDED = _Folded()
