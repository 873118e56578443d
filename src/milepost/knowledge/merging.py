"""Make two entities one, and settle what contradicts itself; both can be taken back."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby

from milepost.errors import InvalidInput, NotFound
from milepost.knowledge.entity_names import entity_named
from milepost.knowledge.graph_reading import shown_memories
from milepost.knowledge.relation_words import SINGLE
from milepost.knowledge.supersession import is_suggested, keep_both, replace, suggested
from milepost.knowledge.values import Claim, Clash, Dispute, Merged, Resolved, Suggestion
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.once import settle
from milepost.operation import operation
from milepost.text.lines import clip_at_word
from milepost.text.naming import name_key

RELATION, MEMORY = "relation", "memory"
BOTH = "both"
_SHOWN_CHARS = 200
MERGE = "merge"
# The number of a merge or an entity, at most.
_NUMBER_MAX = (1 << 53) - 1


class Merging(Service):
    """The operations that put the graph in order."""

    @operation("graph", example='merge_entities("PostgreSQL", "postgres")')
    def merge_entities(self, keep: str, merge: str) -> Merged:
        """Make two entities one, which has the names, relations and observations of both.

        keep: the name of the one that stays.
        merge: the name of the other, which becomes an alias; new memories that say it mean the one.
        """
        context = self._context
        with context.store.writing() as work:
            kept, other = entity_named(context, "keep", keep), entity_named(context, "merge", merge)
            if kept == other:
                raise InvalidInput(f"{keep} and {merge} are one entity already.")
            merged = work.entities.merge(context.space, kept, other, context.clock())
            settle(work, merged, "merge_entities")
        return merged

    @operation("graph", example="undo_merge(1)", aliases=("undo_resolve",))
    def undo_merge(self, id: int | str) -> str:
        """Take back a merge of entities, or how a conflict was settled.

        id: the number that merge_entities or resolve returned.
        """
        context = self._context
        typed = int(id) if isinstance(id, str) and id.isdecimal() else id
        number = validation.whole("id", typed, 1, _NUMBER_MAX)
        with context.store.writing() as work:
            deed = work.entities.deed(context.space, number)
            if deed is None:
                raise NotFound(f"There is no merge {number} to take back.")
            kind, undo = deed
            if kind != MERGE:
                work.relations.put_back(undo)
            elif not work.entities.part(undo):
                raise NotFound(f"What was merged under {number} was deleted since.")
            work.entities.forget_deed(context.space, number)
            told = f"{kind} {number} taken back"
            settle(work, told, "undo_merge")
        return told

    @operation("graph", example="conflicts()", read_only=True)
    def conflicts(self, entity: str | None = None, limit: int = 20) -> list[Dispute]:
        """List what cannot all hold at once: two places somebody works at, a memory and its update.

        entity: only what concerns this one.
        limit: how many to show at most.
        """
        context, most = self._context, validation.limit(limit)
        source = None if entity is None else entity_named(context, "entity", entity)
        clashes = context.store.relations.clashing(context.space, SINGLE, source)
        disputes = _disputes(context, clashes)
        if source is None:
            disputes += [_of_memories(pair) for pair in suggested(context, most)]
        return disputes[:most]

    @operation("graph", example='resolve("0b1c2d3e.works_at", keep="Acme")')
    def resolve(self, conflict: str, keep: str) -> Resolved:
        """Settle a conflict: what is not kept ends where the kept begins, or was never so.

        conflict: its id, as conflicts shows it.
        keep: which claim holds, as conflicts names it; of two memories also "both".
        """
        context = self._context
        name = validation.name("conflict", conflict)
        if "~" in name:
            return _settled(context, name, validation.name("keep", keep))
        wanted = name_key(validation.name("keep", keep))
        with context.store.writing() as work:
            clashes = _clashes_of(context, name)
            kept = [c for c in clashes if name_key(c.relation.target) == wanted]
            others = [c for c in clashes if name_key(c.relation.target) != wanted]
            if not kept:
                known = " or ".join(dict.fromkeys(c.relation.target for c in clashes))
                raise InvalidInput(f"keep must be {known}, not {keep!r}.")
            ends = {c.id: _end(c, kept) for c in others if _overlapping(c, kept)}
            number = work.relations.end(context.space, ends, context.clock())
            ended = tuple(dict.fromkeys(c.relation.target for c in others if c.id in ends))
            kept_one = kept[0].relation.target
            resolved = Resolved(number, kept_one, ended, f"undo_merge({number})")
            settle(work, resolved, "resolve")
        return resolved


def _overlapping(clash: Clash, kept: Sequence[Clash]) -> list[Clash]:
    """Return those of the kept claims that cannot hold because another does at the same time."""
    return [k for k in kept if k.from_us < clash.to_us and clash.from_us < k.to_us]


def _end(clash: Clash, kept: Sequence[Clash]) -> int | None:
    """Return when a claim ends because another is kept; None if it was never so."""
    begin = min(k.from_us for k in _overlapping(clash, kept))
    return begin if clash.from_us < begin else None


def _of_memories(pair: Suggestion) -> Dispute:
    newer, older = (
        Claim(name, clip_at_word(text, _SHOWN_CHARS), at, MEMORY, name)
        for name, text, at in (
            (pair.newer, pair.newer_text, pair.newer_at),
            (pair.older, pair.older_text, pair.older_at),
        )
    )
    return Dispute(f"{pair.newer}~{pair.older}", MEMORY, pair.why, (newer, older))


def _settled(context: Context, conflict: str, keep: str) -> Resolved:
    """Let one of two memories take the place of the other, or both hold."""
    newer, _, older = conflict.partition("~")
    choices = {newer: (newer, older), older: (older, newer), BOTH: None}
    if keep not in choices:
        raise InvalidInput(f"keep must be {newer}, {older} or {BOTH}, not {keep!r}.")
    if not is_suggested(context, newer, older):
        raise NotFound(f"There is no conflict {conflict}; conflicts() lists those there are.")
    pair = choices[keep]
    with context.store.writing() as work:
        if pair is None:
            keep_both(context, newer, older)
            resolved = Resolved(0, BOTH, ())
        else:
            replace(context, *pair)
            resolved = Resolved(0, pair[0], (pair[1],), "undo()")
        settle(work, resolved, "resolve")
    return resolved


def _clashes_of(context: Context, conflict: str) -> list[Clash]:
    sign, _, word = conflict.partition(".")
    known = context.store.relations.clashing(context.space, [word]) if word in SINGLE else []
    clashes = [clash for clash in known if _sign(clash) == sign]
    if not clashes:
        raise NotFound(f"There is no conflict {conflict}; conflicts() lists those there are.")
    return clashes


def _sign(clash: Clash) -> str:
    """Return what stands for an entity in the id of a conflict.

    It is made of the name: a number in the store would tell how much others keep there.
    """
    return sha256(name_key(clash.name).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _disputes(context: Context, clashes: Sequence[Clash]) -> list[Dispute]:
    names = shown_memories(context, (clash.relation.memory for clash in clashes))
    disputes = []
    for (_, word), group in groupby(clashes, lambda clash: (clash.source, clash.word)):
        rows = list(group)
        claims = {row.target: _claim(row, names.get(row.relation.memory or "")) for row in rows}
        about = f"{rows[0].name} {rows[0].relation.relation}"
        disputes.append(
            Dispute(f"{_sign(rows[0])}.{word}", RELATION, about, tuple(claims.values()))
        )
    return disputes


def _claim(clash: Clash, memory: str | None) -> Claim:
    said = clash.relation._replace(memory=memory)
    return Claim(said.target, str(said), said.valid_from, said.origin, memory)
