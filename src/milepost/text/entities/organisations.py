"""Organisations and terms that are told by a word in their name."""

from __future__ import annotations

from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_WORDS_MAX = 6
_LAST = frozenset(
    "GmbH AG KG Inc Inc. Ltd Ltd. LLC Corp Corp. PLC Labs Consulting Records University College "
    "Institute Institut Foundation Federation Association Bank Hospital Ministry Museum Studios "
    "Partners Industries Technologies Logistics Airlines Verlag Verein Stadtwerke Sparkasse "
    "Universität Universidad Université Ayuntamiento Fundación".split()
)
_FIRST = frozenset(
    "University Bank Ministry Institute Universidad Université Universität Banco Ministerio".split()
)
_OF = lazy(r" (?:of|for|de|del|der|für) (?:the |la |los )?[A-Z]\w+(?: [A-Z]\w+)*")
_TERMS = frozenset(
    "Act Protocol Conference Summit Festival Award Awards Prize Cup Convention Treaty "
    "Manifesto".split()
)


def find_organisation(page: Page, run: list[Token], place: int) -> int:
    """Find "Kestrel Labs", "University of Rochester", and terms as "Nobel Prize"."""
    first = run[place]
    if first.word in _FIRST and (rest := _OF.match(page.text, first.end)):
        return _claim_to(page, run, place, rest.end())
    if page.is_opening(first):
        return place
    for end in range(min(len(run), place + _WORDS_MAX), place + 1, -1):
        if run[end - 1].word in _LAST:
            rest = _OF.match(page.text, run[end - 1].end)
            return _claim_to(page, run, place, rest.end() if rest else run[end - 1].end)
        if run[end - 1].word in _TERMS:
            return page.claim_run(run[place:end], place, "term")
    return place


def _claim_to(page: Page, run: list[Token], place: int, end: int) -> int:
    """Claim a name that may reach beyond its run."""
    page.claim(run[place].start, end, "organisation")
    return sum(token.start < end for token in run)
