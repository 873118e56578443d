"""What a text says between names that follow each other, by the words between and before them.

Names that only stand together are left to who reads the graph: they are mentions of one memory.
"""

from __future__ import annotations

from itertools import pairwise

from milepost.text.entities.relation_words import BY_AUTHOR, BY_PRONOUN, RULES, Rule
from milepost.text.entities.values import Link, Mention
from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from milepost.text.entities.page import Page

_NAMES_MAX = 200
_LINKS_MAX = 24
_GAP_MAX = 80
_BEFORE = 64
_BESIDE = 2
# What may be said of several at once; "A to B and C to D" says two things.
_LISTED = frozenset("depends_on uses part_of created owns fixes located_in works_on".split())
# Between the members of a list: "Clang, GCC and MSVC".
_LIST = lazy(r"`?\*{0,2}(?:, | and |, and | und | y | et |、|和| & |/)(?:on |the )?\*{0,2}`?")
_SENTENCE = lazy(r"[.!?](?:\s|$)|\n\s*\n|[。！？;；]")
_UNSURE = lazy(
    r"(?i)\b(?:not|never|if|whether|could|should|would|might|maybe|why|nicht|kein|wenn|ob|no|sin|"
    r"pas)\b|n't\b|\?$"
)


def links(page: Page) -> tuple[Link, ...]:
    """Return what is said between the names of a text, and of its author."""
    names = page.found[:_NAMES_MAX]
    found: dict[Link, None] = {}
    groups = list(_groups(page.text, names))
    for place, (first, second) in enumerate(pairwise(groups)):
        before = groups[place - 1] if place else None
        subject = _subject(before, first)
        found.update(dict.fromkeys(_between(page.text, subject, second, _end(first[-1]))))
    author = Mention(page.author, "person", -1) if page.author else None
    for group in groups:
        if author is not None:
            found.update(dict.fromkeys(_of(page.text, author, group, BY_AUTHOR)))
        if (person := _only_person(names, group[0].start)) is not None:
            found.update(dict.fromkeys(_of(page.text, person, group, BY_PRONOUN)))
    return tuple(found)[:_LINKS_MAX]


def _subject(before: list[Mention] | None, group: list[Mention]) -> list[Mention]:
    """Return of whom it is said: what is said of "pandas 2.2" is said of pandas."""
    beside = before and group[0].start - _end(before[-1]) <= _BESIDE
    return before if before and beside and group[-1].type == "version" else group


def _groups(text: str, names: list[Mention]) -> Iterator[list[Mention]]:
    """Yield names that are told together, as the members of a list are."""
    group: list[Mention] = []
    for name in names:
        if group and not _LIST.fullmatch(text[_end(group[-1]) : name.start][:12]):
            yield group
            group = []
        group.append(name)
    if group:
        yield group


def _between(text: str, first: list[Mention], second: list[Mention], start: int) -> Iterator[Link]:
    end = second[0].start
    gap = text[start:end][: _GAP_MAX + 1].replace("`", "").replace("*", "")
    if len(gap) > _GAP_MAX or _SENTENCE.search(gap):
        return
    before = _before(text, first[0].start)
    if _UNSURE.search(before[-32:]):
        return
    for rule in RULES:
        if rule.gap.fullmatch(gap) and (rule.before is None or rule.before.search(before)):
            yield from _linked(rule, first, second)


def _linked(rule: Rule, first: list[Mention], second: list[Mention]) -> Iterator[Link]:
    if rule.relation not in _LISTED:
        first, second = first[-1:], second[:1]
    sources, targets = (first, second) if rule.forward else (second, first)
    for source in sources:
        for target in targets:
            if _fits(rule, source, target):
                yield Link(source.name, rule.relation, target.name)


def _fits(rule: Rule, source: Mention, target: Mention) -> bool:
    if source.type not in rule.sources or target.type not in rule.targets:
        return False
    # Only its like takes the place of a thing.
    alike = source.type == target.type or {source.type, target.type} == {"package", "service"}
    return source.name.casefold() != target.name.casefold() and (
        alike or rule.relation != "replaces"
    )


def _of(
    text: str, person: Mention, group: list[Mention], rules: tuple[Rule, ...]
) -> Iterator[Link]:
    """Yield what the words before some names say of a person who is not named there."""
    before = _before(text, group[0].start)
    for rule in rules:
        match = rule.gap.search(before)
        if match and not _UNSURE.search(before[: match.end()]):
            yield from _linked(rule, [person], group)


def _only_person(names: list[Mention], end: int) -> Mention | None:
    """Return whom "he" or "she" means: the one person named before, if it is one."""
    people = {name.name: name for name in names if name.type == "person" and name.start < end}
    return next(iter(people.values())) if len(people) == 1 else None


def _before(text: str, start: int) -> str:
    """Return what a sentence says before a name."""
    before = text[max(0, start - _BEFORE) : start].replace("`", "").replace("*", "")
    ends = [match.end() for match in _SENTENCE.finditer(before)]
    return before[ends[-1] :] if ends else before


def _end(name: Mention) -> int:
    return name.start + len(name.name)
