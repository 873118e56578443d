"""Words that are names only where the text tells so: `go` before a version, after an installer."""

from __future__ import annotations

from milepost.text.expressions import lazy

_BEFORE = 48
_INSTALL = lazy(
    r"(?:pip3? install|npm (?:i|install)|yarn add|pnpm add|cargo (?:add|install)|brew install|"
    r"apt(?:-get)? install|go get|gem install|poetry add|uv add|conda install)(?: -{1,2}[\w-]+)* $"
)
_RELEASED = lazy(r" v?\d{1,3}\.(?:\d|x)")
_NUMBERED = lazy(r" \d{1,2}\b(?![.,:]\d|%| ?(?:GB|MB|Go|Mo)\b| [a-z]+s\b)")


_TRADE = lazy(
    r"(?i)`|\w_\w|\w\(\)|/\w+\.\w|::|\b(?:code|bugs?|commit\w*|deploy\w*|api|apis|servers?|"
    r"database|library|framework|repo|repository|backend|frontend|compil\w+|scripts?|ci|"
    r"developers?|programming|refactor\w*|pull request|merge[ds]?|datenbank|código|servidor|"
    r"serveur|unit tests?|test suite|npm|git|docker)\b|代码|部署|服务器|接口"
)


def is_about_programs(text: str) -> bool:
    """Tell whether a text is about programs, by its words."""
    return _TRADE.search(text) is not None


def is_told(text: str, start: int, end: int) -> bool:
    """Tell whether what stands around a word makes a name of it."""
    # A change of a part of a program is titled by that part.
    if start == 0 and text[end : end + 2] == ": ":
        return True
    if _RELEASED.match(text, end) or is_installed(text, start):
        return True
    return text[start].isupper() and _NUMBERED.match(text, end) is not None


def is_installed(text: str, start: int) -> bool:
    """Tell whether a command that installs things stands before a word."""
    return _INSTALL.search(text[max(0, start - _BEFORE) : start]) is not None
