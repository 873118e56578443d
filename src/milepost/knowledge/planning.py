"""Plan a consolidation: what says the same, what replaces what, what faded, what recurs.

A plan reads and changes nothing; the same memories give the same plan.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.knowledge.fading import standing
from milepost.knowledge.material import Item, Material, Texts, material, vectors
from milepost.knowledge.pairs import Pairs, groups, naming_pairs, sharing_pairs, together
from milepost.knowledge.recurring import Spoken, best_first, revisions, timed, topics
from milepost.knowledge.subjects import ALIKE, label_of, subjects, words_held
from milepost.knowledge.summaries import central, in_order
from milepost.knowledge.values import (
    ASSOCIATED,
    QUALITY,
    SPEED,
    Cluster,
    Consolidation,
    MemoryLink,
    Merge,
    Quote,
    Supersession,
)
from milepost.memory.context import Context
from milepost.memory.values import ACTIVE, ARCHIVED, ASSISTANT, FADED, Filter, trust_of
from milepost.text.restating import restates
from milepost.text.updating import update_of
from milepost.waiting import Waiting

_DAY_US = 86_400 * 1_000_000
# Two memories that are less alike than this cannot say the same.
_NEAR = 0.5
# Memories told apart by so many days, and alike, are worth a link; so many of each at most.
_APART_US, _LINKS_MOST = 14 * _DAY_US, 3
_CLUSTER_MIN, _CLUSTER_MOST = 3, 400
# Sentences that tell of a cluster, clusters that are told of.
_SENTENCES, _CLUSTERS = 3, 200
_BLOCK = 5_000
# So many memories have their vectors held twice over: the two sides of what is compared.
_TILE = 32_768
# How far those are trusted who talk to each other.
_PARTY = trust_of(ASSISTANT, ())
# What more memories name than this share of all tells none of them from the others.
_NAMED_SHARE, _NAMED_FEW, _NAMED_MOST = 0.03, 3, 60


# Tells by hash how often memories were of use.
Uses = Callable[[set[str | None]], Mapping[str, int]]


class _Near(NamedTuple):
    """Pairs of places, the older first, and how alike the memories are."""

    pairs: Pairs
    likeness: NDArray[np.float32]


class _Alike(NamedTuple):
    """Pairs that may speak of one subject, and which of them share words, not only a name."""

    pairs: Pairs
    likeness: NDArray[np.float32]
    worded: NDArray[np.bool_]

    @property
    def near(self) -> _Near:
        """Those that may even say the same, or one of them what is new."""
        keep = self.worded & (self.likeness >= _NEAR)
        return _Near(self.pairs[keep], self.likeness[keep])


def plan(
    context: Context,
    run: str,
    strategy: str,
    where: Filter,
    since_us: int,
    uses: Uses,
    progress: Waiting,
) -> Consolidation:
    """Return what a consolidation would do, by full hashes.

    where: the memories it looks at; since_us: those created since are compared with all others;
    uses: tells by hash how often the memories of some projects were of use.
    """
    items = material(context, where, progress)
    recent = items.created_us >= since_us
    texts = Texts(context)
    alike = _alike(context, items, recent) if strategy != SPEED else None
    near = alike and alike.near
    merged = _merges(items, recent, near, texts)
    gone = {name for merge in merged for name in merge.drop}
    superseded = [] if near is None else _supersessions(items, near, texts, gone)
    gone |= {each.old for each in superseded}
    clusters = [] if alike is None else list(_clusters(items, alike, texts))
    links = _associations(items, near, gone, run) if strategy == QUALITY and near else []
    used = uses({None, *items.projects()})
    faded = _faded(items, context.clock(), used, gone, {each.new for each in superseded})
    recurring = (*topics(clusters), *revisions(superseded, items), *timed(clusters, items))
    patterns = best_first(recurring)
    shown = [each.cluster for each in clusters]
    counts = {
        "merged": len(merged),
        "superseded": len(superseded),
        "decayed": len(faded[FADED]),
        "archived": len(faded[ARCHIVED]),
        "associations": len(links),
        "patterns": len(patterns),
        "clusters": len(shown),
    }
    return Consolidation(
        run, "planned", strategy, tuple(patterns), tuple(shown), tuple(merged), tuple(superseded),
        tuple(faded[FADED]), tuple(faded[ARCHIVED]), tuple(links), 0.0, counts, len(items),
    )  # fmt: skip


def _alike(context: Context, items: Material, recent: NDArray[np.bool_]) -> _Alike:
    """Return the pairs with a recent memory that share words or a name, and are alike."""
    mentions = context.store.entities.mentions(context.space, named_most(len(items)))
    pairs, worded = together(
        sharing_pairs(*items.telling), naming_pairs(mentions, items.ids), len(items)
    )
    some = recent[pairs].any(axis=1) if len(pairs) else worded
    pairs, worded = pairs[some], worded[some]
    likeness = _likeness(context, items, pairs)
    keep = likeness >= ALIKE
    return _Alike(pairs[keep], likeness[keep], worded[keep])


def _likeness(context: Context, items: Material, pairs: Pairs) -> NDArray[np.float32]:
    """Return how alike the two of each pair are; so many vectors are held as fit into two tiles."""
    involved = np.unique(pairs)
    tiles = [involved[first : first + _TILE] for first in range(0, len(involved), _TILE)]
    likeness = np.zeros(len(pairs), np.float32)
    for tile, others in combinations_with_replacement(tiles, 2):
        first, last = np.searchsorted(pairs[:, 0], (tile[0], tile[-1] + 1))
        among = (pairs[first:last, 1] >= others[0]) & (pairs[first:last, 1] <= others[-1])
        if not among.any():
            continue
        if tile is others:
            mine = theirs = _vectors(context, items, tile)
        else:
            theirs = _vectors(context, items, others)
        for some in np.array_split(first + np.flatnonzero(among), among.sum() // _BLOCK + 1):
            one = mine[np.searchsorted(tile, pairs[some, 0])].astype(np.float32)
            other = theirs[np.searchsorted(others, pairs[some, 1])].astype(np.float32)
            likeness[some] = np.einsum("ij,ij->i", one, other)
    return likeness


def _vectors(context: Context, items: Material, places: NDArray[np.int64]) -> NDArray[np.float16]:
    return vectors(context, items.ids[places].tolist(), context.texts.model)


def named_most(count: int) -> int:
    """Return how many memories may name what still tells them from others."""
    return min(max(_NAMED_FEW, int(_NAMED_SHARE * count)), _NAMED_MOST)


def _compared(items: Material, near: _Near, texts: Texts) -> Iterator[tuple[int, int, float]]:
    """Yield pairs with their likeness; their texts are read some at a time."""
    for first in range(0, len(near.pairs), _BLOCK):
        check_time()
        block = near.pairs[first : first + _BLOCK]
        texts.load(items.ids[np.unique(block)].tolist())
        likeness = near.likeness[first : first + _BLOCK].tolist()
        for (one, other), alike in zip(block.tolist(), likeness, strict=True):
            yield one, other, alike


def _merges(
    items: Material, recent: NDArray[np.bool_], near: _Near | None, texts: Texts
) -> list[Merge]:
    """Return the memories that say the same, of which at least one is recent."""
    whose, words = items.said
    same = [pair for pair in _same_words(whose, words) if recent[list(pair)].any()]
    ids = items.ids
    for one, other, alike in _compared(items, near, texts) if near else ():
        if whose[one] == whose[other] and restates(texts[ids[one]], texts[ids[other]], alike):
            same.append((one, other))
    found = groups(np.array(same, np.int64).reshape(-1, 2))
    return [_merge(items.items(places)) for places in found]


def _same_words(whose: NDArray[np.int64], words: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the newest of those who have the same words with each of the others."""
    order = np.lexsort((words, whose))
    alike = np.r_[np.diff(whose[order]) == 0, False] & np.r_[np.diff(words[order]) == 0, False]
    others: list[int] = []
    for at in np.flatnonzero(alike | np.r_[False, alike[:-1]]).tolist():
        place = int(order[at])
        if alike[at]:
            others.append(place)
        else:
            yield from ((place, other) for other in others)
            others = []


def _merge(members: Sequence[Item]) -> Merge:
    """Let the most trusted of memories stand for all, and of these the newest."""
    keep = max(members, key=lambda item: (item.trust, item.created_us, item.id))
    return Merge(keep.hash, tuple(item.hash for item in members if item is not keep))


def _supersessions(
    items: Material, near: _Near, texts: Texts, gone: set[str]
) -> list[Supersession]:
    """Return what newer memories replace, each by the newest that does."""
    by: dict[str, tuple[int, Supersession]] = {}
    for one, other, alike in _compared(items, near, texts):
        old, new = items[one], items[other]
        if gone & {old.hash, new.hash} or not _may_replace(old, new):
            continue
        why = update_of(texts[old.id], texts[new.id], alike, surely=True)
        known = by.get(old.hash)
        if why is not None and (known is None or known[0] < new.created_us):
            by[old.hash] = new.created_us, Supersession(old.hash, new.hash, why)
    return [each for _, each in by.values()]


def _may_replace(old: Item, new: Item) -> bool:
    """Whether one memory speaks later than another, in the same place, and is believed as much.

    An assistant is believed as its user is: it writes down what they say.
    """
    later = old.created_us < new.created_us and old.valid_from_us <= new.valid_from_us
    return later and old.whose == new.whose and new.trust >= min(old.trust, _PARTY)


def _clusters(items: Material, alike: _Alike, texts: Texts) -> Iterator[Spoken]:
    """Yield the largest groups about one subject, told by what is said in most of them."""
    found = subjects(alike.pairs, alike.likeness)
    found = [places for places in found if _CLUSTER_MIN <= len(places) <= _CLUSTER_MOST]
    found = sorted(found, key=len, reverse=True)[:_CLUSTERS]
    usual: Counter[str] = Counter()
    for places in found:
        usual.update(words_held(_written(items, places, texts)))
    for places in found:
        members = items.items(places)
        written = _written(items, places, texts)
        label = label_of(written, usual)
        when = {item.hash: item.created_us / 1e6 for item in members}
        best = central(zip(when, written, strict=True), _SENTENCES)
        told = tuple(Quote(s.name, s.text, when[s.name]) for s in in_order(best))
        naming = sum(any(word.lower() in text.lower() for word in label) for text in written)
        yield Spoken(Cluster(" ".join(label), tuple(when), told), members, naming, best[0].text)


def _written(items: Material, places: Sequence[int], texts: Texts) -> list[str]:
    ids = items.ids[places].tolist()
    texts.load(ids)
    return [texts[each] for each in ids]


def _associations(items: Material, near: _Near, gone: set[str], run: str) -> list[MemoryLink]:
    """Return links between memories of one subject that were told apart, the most alike first."""
    links: list[MemoryLink] = []
    count: Counter[str] = Counter()
    for place in np.argsort(-near.likeness, kind="stable").tolist():
        one, other = (items[i] for i in near.pairs[place].tolist())
        apart = abs(one.created_us - other.created_us) >= _APART_US
        apart &= one.session is None or one.session != other.session
        if not apart or gone & {one.hash, other.hash}:
            continue
        if max(count[one.hash], count[other.hash]) < _LINKS_MOST:
            count.update((one.hash, other.hash))
            weight = round(float(near.likeness[place]), 3)
            links.append(MemoryLink(one.hash, other.hash, ASSOCIATED, weight, 0.0, run))
    return links


def _faded(
    items: Sequence[Item], now_us: int, uses: Mapping[str, int], gone: set[str], linked: set[str]
) -> dict[int, list[str]]:
    """Return the hashes of what is to fade and of what is to be archived."""
    found: dict[int, list[str]] = {ACTIVE: [], FADED: [], ARCHIVED: []}
    for item in items:
        age_days = (now_us - item.created_us) / _DAY_US
        used = uses.get(item.hash, 0)
        stands = standing(
            item.kind, item.tags, item.source, age_days, used, linked=item.hash in linked
        )
        if stands > item.standing and item.hash not in gone:
            found[stands].append(item.hash)
    return found
