"""Known names that are part of others: "Git LFS", "Boston Globe", "Bank of Canada"."""

from __future__ import annotations

from milepost.text.entities.calendar import CALENDAR
from milepost.text.entities.known_names import known
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page, Token

_BODY_OF = lazy(
    r"\b(?:Bank|Government|Ministry|Republic|Kingdom|University|Museum|Union|Federation|Parliament|"
    r"Association|Academy|Institute|Bay|Gulf|Duke|House|Tower|Times|Banco|Ministerio) (?:of|de) "
    r"(?:the )?$"
)
_NATURE = lazy(r" (?:rainforest|river|basin|jungle|forest|sea|ocean)\b")
# Names that companies put before those of what they sell: the whole is another name.
_BRANDS = frozenset(
    "Microsoft Google Amazon Apple Oracle IBM Apache AWS Azure Samsung Sony Nvidia Docker "
    "GitHub".split()
)
# Words beside a name that make no other name of it.
_GENERIC = frozenset(
    "API APIs CLI SDK UI UX URL URLs ID IDs ORM SQL VM VMs CI CD README OS DB JSON XML HTTP HTTPS "
    "TLS SSL SSH I PR PRs OK EU US".split()
)


def is_part(page: Page, run: list[Token], place: int, end: int) -> bool:
    """Tell whether what was found in a run is part of another name, by what stands beside it."""
    start = run[place].start
    if _BODY_OF.search(page.text[max(0, start - 24) : start]):
        return True
    return (
        _NATURE.match(page.text, run[end - 1].end) is not None
        or _goes_on(page, run, place, end)
        or _has_begun(page, run, place)
    )


def _goes_on(page: Page, run: list[Token], place: int, end: int) -> bool:
    if end == len(run):
        return False
    return run[place].word in _BRANDS or _is_other(page, run[end])


def _has_begun(page: Page, run: list[Token], place: int) -> bool:
    # In German a noun may stand before a name: "das Framework Django".
    if place == 0 or page.in_german():
        return False
    before = run[place - 1]
    # What follows a name directly is part of it: "the Stedelijk Museum Amsterdam".
    if before.word in _BRANDS or not page.free(before.start, before.end):
        return True
    return not page.begins(before.start) and _is_other(page, before)


def _is_other(page: Page, token: Token) -> bool:
    """Tell whether a word may be part of a name that is not known."""
    if token.word in _GENERIC or token.word in CALENDAR or known(token.word) is not None:
        return False
    return page.free(token.start, token.end)
