"""Names that only a relation tells: what depends on a known thing, or takes its place."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from milepost.text.entities.page import Page

# What is said of programs and hardly of anything else.
_SAID = (
    r"(?:depends on|depend on|relies on|is owned by|is maintained by|was replaced (?:by|with)"
    r"|is replaced (?:by|with)|has been replaced (?:by|with)|replaces|replaced|talks to"
    r"|reads from|writes to"
    r"|connects to|imports|calls|uses|requires|needs|is built (?:with|on)|runs on|is backed by"
    r"|hängt (?:ab )?von|nutzt|verwendet|benötigt|wurde ersetzt durch|depende de|utiliza|usa"
    r"|necesita"
    r"|dépend de|utilise)"
)
_ID = r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+"
_HEAD = r"(?:service|api|API|worker|job|pipeline|gateway|app|database|queue|cluster|bus|module)"
_THE = r"(?:(?:[Tt]he|our|[Oo]ur|der|die|das|el|la|le) )?"
_THING = (
    rf"(?:{_THE}(?P<{{0}}_id>{_ID})|{_THE}(?P<{{0}}_of>[a-z]+ {_HEAD})"
    r"|(?P<{0}_team>(?:the )[a-z]+ team))"
)
_LEFT = lazy(
    rf"(?:(?<![\w./-]){_THING.format('x')}|(?:^|(?<=[.!?\n] )"
    rf"|(?<=\n))(?P<x_word>[a-z][a-z0-9]{{2,20}}))"
    rf"(?: (?P<x_version>v?\d+(?:\.\w+)*))? (?={_SAID} )"
)
# What people do to programs says as much of these, and nothing of people.
_DONE = r"(?:owns|maintains|works on|is working on|is responsible for|looks after|betreut|mantiene)"
_RIGHT = lazy(rf"(?<= )(?:{_SAID}|{_DONE}) (?:{_THING.format('y')})(?![\w/-]|\.\w)")
_MORE = lazy(rf"(?: and|,| or) (?:on )?{_THING.format('z')}(?![\w/-]|\.\w)")
# A sentence that begins so is about no program.
_NONE = frozenset(
    "everything nothing something anything one which who what there here someone nobody success "
    "time today life testing building running deploying using code build production staging".split()
)
# Capitalised words of which nothing is known, beside a tool that is: one was chosen, or replaced.
_INSTEAD = lazy(
    r"(?P<x>[A-Z][\w.]{2,24}) (?:was |is |has been )?(?:over|instead of|rather than"
    r"|replaced (?:by|with)|replaces) "
    r"(?P<y>[A-Z][\w.]{2,24}\w)"
)
_TOOLS = ("package", "service")


def find_related(page: Page) -> None:
    """Claim what stands at the ends of relations that are said of programs."""
    for pattern in (_LEFT, _RIGHT):
        for match in pattern.finditer(page.text):
            _claim(page, match)
            more = _MORE.match(page.text, match.end()) if pattern is _RIGHT else None
            if more:
                _claim(page, more)
    for match in _INSTEAD.finditer(page.text):
        _claim_like_the_other(page, match)


def _claim(page: Page, match: re.Match[str]) -> None:
    for sort, start, end in _spans(match):
        if not page.free(start, end):
            continue
        if sort in ("word", "version") and not _names(page, match):
            continue
        page.claim(start, end, _type(sort, match))


def _type(sort: str, match: re.Match[str]) -> str:
    """Return what is named: what has a version is installed, what is said of the rest runs."""
    if sort == "word" and match.groupdict().get("x_version"):
        return "package"
    return {"team": "organisation", "version": "version"}.get(sort, "service")


def _spans(match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    for name, text in match.groupdict().items():
        if text is not None:
            skipped = len("the ") if name.endswith("_team") else 0
            yield name[2:], match.start(name) + skipped, match.end(name)


def _names(page: Page, match: re.Match[str]) -> bool:
    """Tell whether a small word at the beginning is a name: what it depends on is one."""
    word = match["x_word"]
    if word is None or word in STOP_WORDS or word in _NONE:
        return False
    rest = page.text[match.end() : match.end() + 60].split(". ")[0]
    ends = (mention.start for mention in page.found)
    known = any(match.end() < place <= match.end() + len(rest) for place in ends)
    return known or _RIGHT.search(page.text, max(0, match.end() - 1), match.end() + 60) is not None


def _claim_like_the_other(page: Page, match: re.Match[str]) -> None:
    """Claim a word beside a known tool as one of its kind."""
    types = {mention.start: mention.type for mention in page.found if mention.type in _TOOLS}
    x, y = match.start("x"), match.start("y")
    for own, other in (("x", y), ("y", x)):
        span = match.span(own)
        if other in types and page.free(*span):
            page.claim(*span, types[other])
