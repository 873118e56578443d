"""What the capabilities need from outside: the nouns of a store, embedders, a clock."""

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from milepost.documents.values import Document, Piece, StoredDocument
from milepost.documents.values import Place as PlaceInDocument
from milepost.experience.values import (
    Ended,
    Episode,
    EpisodeChanges,
    EpisodeFilter,
    Insight,
    Peer,
    Reward,
    Step,
    StoredPattern,
    ToolUse,
)
from milepost.knowledge.values import (
    Clash,
    Entity,
    Event,
    EventDay,
    EventFilter,
    Learned,
    Match,
    MemoryLink,
    Merged,
    Observation,
    Relation,
    Span,
    Walk,
    When,
)
from milepost.memory.values import (
    Analysis,
    Changes,
    Deed,
    Draft,
    Filter,
    Indexed,
    Record,
    TagCount,
    Tally,
)
from milepost.upkeep.values import Job
from milepost.waiting import Progress
from milepost.workspace.values import Anchor, Branch, Project

if TYPE_CHECKING:
    from os import stat_result
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from milepost.programs.values import Execution, Program, Status
    from milepost.ranking.candidates import CandidateSet, Probe, RareWords


# Tells the time in microseconds since the epoch.
Clock = Callable[[], int]
# Answers a call of a program; is told of waits.
Call = Callable[[str, dict[str, Any]], Any]


class CacheUse(NamedTuple):
    """How often something was there and how often not, how much is kept, what made room."""

    hits: int = 0
    misses: int = 0
    entries: int = 0
    bytes: int = 0
    evictions: int = 0


class EmbedderStatus(NamedTuple):
    """How an embedder is doing: which model, whether it works now, and what to know about it."""

    model: str
    healthy: bool
    note: str


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def model(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]": ...
    def embed_query(self, text: str) -> "NDArray[np.float32]": ...
    def status(self) -> EmbedderStatus: ...


class FallibleEmbedder(Protocol):
    """An embedder that may be away: it then returns None."""

    @property
    def model(self) -> str: ...
    @property
    def english_alone(self) -> bool: ...
    def try_embed(self, texts: Sequence[str]) -> "NDArray[np.float32] | None": ...
    def try_embed_query(self, text: str) -> "NDArray[np.float32] | None": ...
    def status(self) -> EmbedderStatus: ...
    @property
    def cache_use(self) -> CacheUse:
        """How much vectors are used that were made before."""


class Lexicon(Protocol):
    """Knows single words: the terms of those akin in meaning, how common each is, if it is one."""

    def related(self, word: str) -> list[tuple[int, float]]: ...
    def rank(self, word: str) -> int: ...
    def knows(self, word: str) -> bool: ...


class Page(NamedTuple):
    """Some of the memories that pass a filter, and how many do in all."""

    ids: list[int]
    total: int


class Stored(NamedTuple):
    """How memories are called that were just stored, and those of late that say the same."""

    names: list[str]
    again: list[Record]


class Conflict(Exception):
    """Another changed the same meanwhile: nothing was written, and all of it may be tried again."""


class AuditNote(NamedTuple):
    """What is to be noted in the audit of a space."""

    at_us: int
    operation: str
    entry: str


class AuditRow(NamedTuple):
    """An entry of the audit: its digest binds it to the one before."""

    number: int
    at_us: int
    operation: str
    entry: str
    digest: str


class Memories(Protocol):
    """What is remembered, by space and hash."""

    def add(self, drafts: Sequence[Draft], deed: int | None = None) -> None:
        """Store memories; known content gains the tags and project and holds again.

        A deed holds what they replace, so that it can be taken back.
        """

    def store(
        self, drafts: Sequence[Draft], digits: int, since_us: int, deed: int | None = None
    ) -> Stored:
        """Store memories, and return what whoever stores them asks next, all in one step.

        digits: so many of a hash a name has at least; since_us: when late begins.
        """

    def store_alone(
        self, draft: Draft, digits: int, since_us: int, noted: AuditNote | None
    ) -> str | None:
        """Store a memory in a transaction of its own, quicker than `store`; return its name.

        None, with nothing stored, where its text is known or says what was said of late, where it
        is stored with more, and where there is no quicker way.
        """

    def put(self, draft: Draft) -> None:
        """Store a memory in place of the one that has its hash."""

    def settle(self, draft: Draft, valid_to_us: int, superseded_by: str | None) -> None:
        """Let a memory that was put be what the draft says in all else, and end as is said."""

    def change(self, memory_id: int, changes: Changes, deed: int | None = None) -> None:
        """Change a memory in place; a deed holds how it was."""

    def mark(self, record: Record, marks: tuple[str, ...]) -> None:
        """Say what is to be known of a memory's text; how far it is trusted follows from that."""

    def supersede(self, memory_id: int, by: int, at_us: int, deed: int | None = None) -> None:
        """Let a memory be replaced by another from a time on; a deed holds how it was."""

    def end(self, ids: Sequence[int], at_us: int, deed: int | None = None) -> None:
        """Let memories hold no longer than until a time; a deed holds how they were."""

    def discard(self, ids: Sequence[int], deed: int) -> int:
        """Move memories into the bin of a deed, where nothing finds them; return how many.

        Their texts are blanked in what is kept and waits, as if they were deleted.
        """

    def remove(self, ids: Sequence[int]) -> int:
        """Delete memories and all that was derived from them; return how many there were.

        Their texts are blanked and their hashes left out in what is kept and waits in their space,
        and all of it is forgotten when neither a memory nor an episode is left there.
        """

    def hashes(self, space: str, prefix: str, limit: int) -> list[str]:
        """Return the full hashes that start with a prefix."""

    def shortest(self, space: str, hashes: Sequence[str], at_least: int) -> list[str]:
        """Return of each hash the shortest prefix that no other memory of the space shares."""

    def record(self, space: str, full_hash: str) -> Record | None:
        """Return a memory by its full hash."""

    def records(self, ids: Sequence[int]) -> list[Record]:
        """Return memories in the order of the ids; deleted ones are left out."""

    def replaced_by(self, memory_id: int) -> list[int]:
        """Return the memories that one has replaced."""

    def owners(self, ids: Sequence[int]) -> dict[int, str]:
        """Return by memory the episode or pattern that is found by it."""

    def said_twice(self, space: str, keys: Sequence[int], since_us: int) -> list[Record]:
        """Return the memories since a time that hold and share what their words come to."""

    def count(self, where: Filter) -> int:
        """Count the memories that pass a filter."""


class Anchors(Protocol):
    """The files and symbols that memories rest on, as they were then."""

    def of(self, ids: Sequence[int]) -> dict[int, tuple[Anchor, ...]]:
        """Return by memory what it rests on."""

    def anchored(self, space: str, project: str, now_us: int) -> list[int]:
        """Return the memories of a project that hold and rest on something, newest first."""

    def put(self, memory_id: int, anchors: Sequence[Anchor]) -> None:
        """Let a memory rest on these, and on nothing else."""


class Branches(Protocol):
    """The branches that memories belong to until these are merged."""

    def of(self, space: str, project: str) -> list[str]:
        """Return the branches that memories of a project belong to."""

    def release(self, space: str, project: str, branch: str) -> int:
        """Let the memories of a branch belong to the project alone; return how many there were."""


class Counts(Protocol):
    """How many memories there are of each sort."""

    def tally(self, space: str, now_us: int) -> Tally:
        """Count the memories of a space by what they are."""

    def tags(self, space: str, project: str | None, now_us: int) -> list[TagCount]:
        """Return the tags of what holds, most used first, with the projects they are used in."""

    def accounts(self) -> Mapping[str, tuple[int, int]]:
        """Return by space how many memories are there, in bins too, and how many were removed.

        Of all spaces, at one moment. Their sum becomes less when somebody else removes some.
        """


class Candidates(Protocol):
    """What a search and a list choose from; they show what is committed."""

    def find(self, probe: "Probe", where: Filter, limit: int, offset: int = 0) -> "CandidateSet":
        """Return the candidates of a search that pass its filter.

        offset: goes on after the matches by words of the pages before, of which each comes once.
        Of words that very many hold, a first page may count fewer matches than there are, but
        more than it shows.
        """

    def sharing(
        self, text: Analysis, model: str, where: Filter, limit: int
    ) -> list[tuple[Record, float]]:
        """Return the memories that share terms with a text, and how alike they are, the most first.

        Terms that many hold do not count; model: by whose vectors memories are compared.
        """

    def rare_words(self, memory_id: int, without: Sequence[int], most: int) -> "RareWords":
        """Return who else holds the words of a memory that at most so many hold, but for some."""

    def page(self, where: Filter, limit: int, offset: int = 0) -> Page:
        """Return the newest memories that pass a filter, and count all that do."""

    def newest(self, where: Filter, limit: int, offset: int = 0) -> list[int]:
        """Return the newest memories that pass a filter; to count the others may take longer."""

    def unreviewed(self, where: Filter, by: str | None, limit: int) -> Page:
        """Return the newest memories that pass a filter and that nobody has looked through.

        by: only those that something wrote which goes by this name.
        """

    def newest_of(self, where: Filter, kinds: Sequence[str], limit: int) -> dict[str, list[int]]:
        """Return by kind the newest memories of it that pass a filter."""

    def around(self, record: Record, where: Filter, before: int, after: int) -> list[int]:
        """Return the memories just before and after one in time, in order, with itself."""

    def vectors(self, memory_id: int) -> "Mapping[str, NDArray[np.float32]]":
        """Return the vectors of a memory by model."""

    def lacking(self, model: str, after_id: int, limit: int) -> list[Indexed]:
        """Return memories past an id that have no vector of a model, by id."""

    def put_vectors(self, model: str, vectors: "Mapping[int, NDArray[np.float32]]") -> None:
        """Add vectors of a model to memories."""


class Values(Protocol):
    """Single values by name, and journals that only grow."""

    def get(self, space: str, topic: str, key: str) -> str | None:
        """Return the value under a name."""

    def put(self, space: str, topic: str, key: str, value: str | None) -> None:
        """Keep a value under a name in place of the one before; None forgets it."""

    def note(self, space: str, topic: str, at: int, entries: Sequence[str], most: int) -> None:
        """Add entries to a journal, which forgets all but its most recent ones, sooner or later.

        They hold no text of memories: a deletion does not look for any.
        """

    def notes(self, space: str, topic: str, since: int, limit: int) -> list[tuple[int, str]]:
        """Return the latest entries of a journal since a time, oldest first, with their times."""

    def count_notes(self, space: str, topic: str, before: int) -> int:
        """Count the entries of a journal before a time."""

    def forget_notes(self, space: str, topic: str, before: int) -> int:
        """Delete the entries of a journal before a time; return how many there were."""


# For so long a call that is sent again under its key is answered as it was.
ANSWERS_KEPT_US = 10 * 60 * 1_000_000


class KeptAnswer(NamedTuple):
    """Which call was made under a key, and what was answered.

    answer: none while it is under way, when that ended with its server, and when it quoted what was
        deleted since.
    """

    call: str
    answer: str | None


class Answers(Protocol):
    """What calls were answered that go by a key, for a while, so that none is done twice."""

    def find(self, space: str, key: str) -> KeptAnswer | None:
        """Return what was answered to the call under a key."""

    def keep(self, space: str, key: str, call: str, answer: str | None, at_us: int) -> bool:
        """Keep an answer under a key, in the transaction under way; False when one is kept already.

        Of two transactions that keep one under the same key only one is committed with True, the
        other waits for it. Answers older than ANSWERS_KEPT_US are forgotten sooner or later. Alone
        it need not be durable.
        """

    def complete(self, space: str, key: str, answer: str) -> None:
        """Give the call under a key, which was kept without one, its answer."""

    def forget(self, space: str, key: str) -> None:
        """Forget that there was a call under a key."""


class Jobs(Protocol):
    """Work for later, of which each piece is there once."""

    def enqueue(self, space: str, topic: str, key: str, payload: str, at: int) -> None:
        """Add work that is due at a time, once; asked for while it runs, it is done once more."""

    def claim(self, topics: Sequence[str], now: int, lease_us: int) -> Job | None:
        """Take the work that has been due longest; it is due again when the lease ends."""

    def prolong(self, job_id: int, claim: str, until: int) -> None:
        """Let a claim end later: who has the work lives and goes on."""

    def finish(self, job_id: int, claim: str) -> bool:
        """Forget work that is done; False when the claim has passed to another."""

    def fail(self, job_id: int, claim: str, problem: str, retry_at: int | None) -> bool:
        """Give work back to be tried later, or for None to be kept as dead."""

    def list(self, space: str, state: str | None, limit: int) -> Sequence[Job]:
        """Return work of a state, or of any, by when it is due."""

    def retry(self, space: str, now: int, job_id: int | None = None) -> int:
        """Let dead work be tried again, all of it or one piece; return how much there was."""

    def drop(self, space: str, job_id: int) -> bool:
        """Forget a piece of dead work; False when there is no such piece."""

    def backlog(self, of: str | None) -> "Sequence[tuple[str, str, int, int]]":
        """Count by topic and state the work of a space, or of all, and say since when it is due."""


class Episodes(Protocol):
    """What was tried, with its steps."""

    def begin(self, space: str, episode: Episode) -> bool:
        """Write down that an episode begins; False when one of its name has begun."""

    def add_steps(self, space: str, episode: str, steps: Sequence[Step]) -> list[int]:
        """Write down steps and return their numbers, 0 for each when the episode is unknown.

        A step with a number that is taken gets the next one, unless it is the same step.
        """

    def change(
        self,
        space: str,
        episode: str,
        changes: EpisodeChanges,
        now_us: int,
        *,
        unless_ended: bool = False,
    ) -> bool:
        """Change an episode; False when there is none, or it has ended and that shall stay.

        An outcome makes it one that was not learned from.
        """

    def remove(self, space: str, episode: str) -> bool:
        """Delete an episode with its steps; False when there is none."""

    def find(self, where: EpisodeFilter, limit: int) -> list[Episode]:
        """Return the newest episodes that pass a filter, without their steps."""

    def count(self, where: EpisodeFilter) -> int:
        """Count the episodes that pass a filter."""

    def named(self, space: str, ids: Sequence[str]) -> list[Episode]:
        """Return episodes in the order of the ids, without steps; unknown ones are left out."""

    def steps(self, space: str, episode: str) -> list[Step]:
        """Return the steps of an episode by their numbers."""

    def last_step(self, space: str, episode: str) -> int | None:
        """Return the highest number of a step, 0 without steps, None without the episode."""

    def reward(self, space: str, episode: str) -> Reward | None:
        """Return the reward of a completed episode with its terms."""

    def peers(self, space: str, task_type: str, domain: str | None, limit: int) -> list[Peer]:
        """Return the episodes of a type and domain that were completed last."""

    def ended(self, where: EpisodeFilter, limit: int) -> list[Ended]:
        """Return the newest completed episodes that pass a filter; tags are not looked at."""

    def tools(self, where: EpisodeFilter, limit: int) -> list[ToolUse]:
        """Return the tools that the newest of those used that ended well or failed, most first."""

    def worked_on_us(self, space: str) -> int | None:
        """Return when an open episode was last worked on."""

    def idle(self, space: str, before_us: int, limit: int) -> list[str]:
        """Return the ids of open episodes that nobody worked on since a time, oldest first."""


class Patterns(Protocol):
    """What holds across episodes, and who was told of it."""

    def find(
        self, space: str, kind: str | None, retired: bool | None, limit: int
    ) -> list[StoredPattern]:
        """Return patterns by falling confidence."""

    def count(self, space: str) -> int:
        """Count the patterns, with those that were retired."""

    def named(self, space: str, ids: Sequence[str]) -> list[StoredPattern]:
        """Return patterns in the order of the ids; unknown ones are left out."""

    def of(self, space: str, episode: str) -> list[StoredPattern]:
        """Return the patterns that an episode speaks for or against."""

    def learn(self, space: str, episode: str | None, patterns: Sequence[StoredPattern]) -> bool:
        """Put patterns; raise Conflict when another changed one of them meanwhile.

        With an episode they are put once for each time it is completed: what was learned from it
        already is not put again, and False is returned.
        """

    def remove(self, space: str, ids: Sequence[str]) -> None:
        """Delete patterns."""

    def show(self, space: str, episode: str, patterns: Sequence[str]) -> None:
        """Note that whoever works on an episode was told of patterns."""

    def shown(self, space: str, episode: str) -> list[str]:
        """Return the patterns that were shown for an episode."""


class Deeds(Protocol):
    """Deletions and changes of memories that can be taken back."""

    def begin(self, space: str, kind: str, at_us: int) -> int:
        """Begin to hold what is deleted or changed now, under a number."""

    def find(self, space: str, kinds: Sequence[str], limit: int) -> list[Deed]:
        """Return the latest deeds of some kinds, latest first."""

    def about(self, space: str, prefix: str) -> list[tuple[Deed, int, str]]:
        """Return the deeds about memories whose hashes begin so, with id and hash, latest first."""

    def some(self, deed: int, limit: int) -> list[tuple[str, str]]:
        """Return the hash and the beginning of some memories that a deed concerns."""

    def binned(self, space: str, prefix: str) -> list[Record]:
        """Return the deleted memories that are held and whose hashes begin so."""

    def held(self, where: Filter) -> list[int]:
        """Return the deleted memories that are held and pass a filter."""

    def take_back(
        self, deed: int, at_us: int, memory_id: int | None = None, kept: Sequence[int] = ()
    ) -> list[int]:
        """Put back what a deed changed, or one memory that it deleted.

        What some memories say of themselves is kept as it is by now.

        What it stored is discarded under a deed of the kind undo. Return the ids of those that it
        had deleted.
        """

    def forget(
        self,
        space: str,
        before_us: int,
        spared: "Callable[[Sequence[int]], set[int]]" = lambda _ids: set(),
    ) -> int:
        """Delete for good what deeds before a time hold; return how many memories that were.

        spared: tells which of some memories stay all the same.
        """

    def due(self, space: str, before_us: int) -> list[int]:
        """Return the memories that `forget` would delete, were none of them spared."""

    def count(self, space: str) -> int:
        """Count the deleted memories that are held."""

    def oldest_us(self, space: str) -> int | None:
        """Return when the oldest deed was done that is held."""


class Events(Protocol):
    """What happened, in order; it is added to and forgotten, never changed."""

    def add(self, space: str, events: Sequence[Event]) -> int:
        """Write down events and return how many of them were new: each id is there once."""

    def find(self, where: EventFilter, limit: int) -> list[Event]:
        """Return the latest events that pass a filter, latest first."""

    def days(self, space: str, project: str | None, after_us: int) -> list[EventDay]:
        """Return what happened since a time by local day, latest first."""

    def remove(self, where: EventFilter) -> int:
        """Forget the events that pass a filter; return how many there were."""

    def count(self, where: EventFilter) -> int:
        """Count the events that pass a filter."""

    def oldest_us(self, space: str) -> int | None:
        """Return when the oldest event was."""

    def since(self, space: str, number: int, limit: int) -> list[tuple[int, Event]]:
        """Return the events that were written down after one, by its number, in that order.

        One that is written down by another at the same time may come with a number before.
        """

    def last(self, space: str) -> int:
        """Return the number of the event that was written down last; 0 where there is none."""


class Links(Protocol):
    """What memories have to do with each other; a link goes with either of its ends."""

    def add(self, space: str, links: Sequence[MemoryLink]) -> int:
        """Link memories by their full hashes; return how many links are new."""

    def of(self, space: str, ids: Sequence[int]) -> list[MemoryLink]:
        """Return the links from and to memories, by kind and falling weight."""

    def towards(self, kind: str, ids: Sequence[int]) -> list[tuple[int, int]]:
        """Return the links of a kind that end at some memories: where each begins, and its end."""

    def between(self, space: str, kind: str, now_us: int, limit: int) -> list[MemoryLink]:
        """Return the latest links of a kind between memories that hold."""

    def remove(self, space: str, link: MemoryLink) -> bool:
        """Take a link away; False when there is none."""

    def remove_run(self, run: str) -> int:
        """Take the links of a consolidation away; return how many there were."""


class Entities(Protocol):
    """What memories and callers speak of, by all its names; each name is one entity's."""

    def put(
        self, space: str, name: str, kind: str, metadata: Mapping[str, Any], now_us: int
    ) -> tuple[int, bool]:
        """State that there is an entity; return its number, and whether it was new.

        A known one gains the metadata, and the type unless that is the general one.
        """

    def ensure(self, space: str, names: Sequence[str], now_us: int) -> list[int]:
        """Return the entities that go by these names; who is new goes with what rests on it."""

    def learn(self, space: str, learned: Sequence[Learned], now_us: int) -> None:
        """Write down what memories of the space say; what was learned from one is not again."""

    def ids(self, space: str, names: Sequence[str]) -> list[int | None]:
        """Return the entities that go by these names, None for each that is unknown."""

    def described(
        self, space: str, ids: Sequence[int], when: When, observations: int = 20
    ) -> list[Entity]:
        """Return entities in the order of the ids, with some of what was said of them."""

    def matching(self, space: str, words: Sequence[str]) -> tuple[list[Match], list[Match]]:
        """Return the names, and the sayings about entities, that have most of some words."""

    def visible(self, ids: Sequence[int]) -> list[int]:
        """Return those of some entities that are found, in their order."""

    def mentions(self, space: str, most: int) -> list[tuple[int, int]]:
        """Return which entity each memory names, of those that several name and at most so many."""

    def like(self, space: str, name: str) -> list[str]:
        """Return names that begin alike or hold each other."""

    def page(self, space: str, query: str | None, limit: int) -> list[int]:
        """Return entities in the order they came, those with a text in name, type or sayings."""

    def since(self, space: str, after_us: int, until_us: int, limit: int) -> list[tuple[int, str]]:
        """Return the entities that came between two moments, with their names."""

    def remove(self, entity: int) -> bool:
        """Delete an entity with all that is said of it; False when there is none."""

    def merge(self, space: str, keep: int, other: int, now_us: int) -> Merged:
        """Let all that is said of one entity be said of another, which gains its names."""

    def part(self, undo: Mapping[str, Any]) -> bool:
        """Take a merge back, whatever was merged since; False when what was merged is gone."""

    def deed(self, space: str, number: int) -> tuple[str, dict[str, Any]] | None:
        """Return the kind of a merge or a settled conflict, and what was before."""

    def forget_deed(self, space: str, number: int) -> None:
        """Forget what was before a merge or a settled conflict."""


class Relations(Protocol):
    """How entities stand to each other: assertions, which readers see grouped."""

    def put(
        self,
        space: str,
        ends: tuple[int, int],
        relation: str,
        weight: float,
        span: Span,
        now_us: int,
    ) -> bool:
        """State a relation; said otherwise of the same time it replaces what was said before.

        Return whether it was new.
        """

    def span(self, space: str, ends: tuple[int, int], relation: str, within: Span) -> Span | None:
        """Return from when until when a stated relation holds that holds at some time within."""

    def reach(self, space: str, starts: Sequence[int], walk: Walk, when: When) -> dict[int, int]:
        """Return the entities that a walk reaches, with how many steps it takes."""

    def around(
        self, space: str, reached: Mapping[int, int], walk: Walk, when: When, limit: int
    ) -> tuple[list[Relation], int]:
        """Return the nearest relations of entities that were reached, and how many there are."""

    def holding(self, space: str, when: When, limit: int) -> tuple[list[Relation], int]:
        """Return the heaviest relations that hold, and how many there are."""

    def step(
        self, space: str, entity: int, others: Sequence[int], at_us: int
    ) -> tuple[Relation, int] | None:
        """Return the heaviest relation between an entity and one of others, and which that is."""

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Relation], list[Relation]]:
        """Return what holds at the later moment alone, and what at the earlier."""

    def clashing(self, space: str, words: Sequence[str], source: int | None = None) -> list[Clash]:
        """Return assertions of these words whose times meet and whose targets differ, by source."""

    def end(self, space: str, ends: Mapping[int, int | None], now_us: int) -> int:
        """Let assertions hold until a moment, or None for never; return the number of the deed."""

    def put_back(self, undo: Mapping[str, Any]) -> None:
        """Let assertions hold again as they did."""

    def remove(self, space: str, ends: tuple[int, int], relation: str) -> int:
        """Delete all that says a relation; return how many assertions there were."""

    def lines(
        self, space: str, at_us: int, entities: Sequence[int] | None
    ) -> list[tuple[str, str, str]]:
        """Return source, target and relation of what holds, of some entities or of all."""


class Observations(Protocol):
    """What is said of single entities."""

    def put(self, space: str, entity: int, text: str, span: Span, now_us: int) -> bool:
        """Say something of an entity; False when that is said already."""

    def remove(self, space: str, entity: int, text: str) -> int:
        """Delete what is said of an entity; return how often it was."""

    def changed(
        self, space: str, entity: int | None, after_us: int, until_us: int, limit: int
    ) -> tuple[list[Observation], list[Observation]]:
        """Return what holds at the later moment alone, and what at the earlier."""


class Documents(Protocol):
    """Documents that were read; which memories each was cut into, and where those stand in it.

    What is said of a memory goes with it, and a document with the last of its memories.
    """

    def at(self, space: str, path: str) -> StoredDocument | None:
        """Return the document that was read from a file."""

    def below(self, space: str, folder: str) -> list[StoredDocument]:
        """Return the documents that were read from below a folder, by path."""

    def like(self, space: str, digest: str) -> list[StoredDocument]:
        """Return the documents whose files have a digest."""

    def every(self, space: str) -> list[StoredDocument]:
        """Return all documents by name."""

    def shares_session(self, space: str, session: str, path: str) -> bool:
        """Whether another document than that of a file has its memories in a session."""

    def put(self, space: str, document: StoredDocument, pieces: Sequence[Piece] | None) -> int:
        """Write down a document, a new one if it has no number, and return its number.

        pieces: its memories by their hashes, in its order, in place of those before; None leaves
            them. In the session of the document they stand in that order.
        """

    def end(self, document: int, at_us: int) -> None:
        """Write down that the file of a document is gone."""

    def pieces(self, space: str, document: int) -> list[Piece]:
        """Return the memories that a document is and was cut into, by their numbers."""

    def said_elsewhere(self, document: int, ids: Sequence[int]) -> set[int]:
        """Return those of some memories that another document has too."""

    def places(self, ids: Sequence[int]) -> dict[int, PlaceInDocument]:
        """Return by memory where it stands in a document."""


class Audit(Protocol):
    """Who did what in a space; it only grows.

    The digest of an entry is the SHA-256 of the digest before it, nothing for the first, and the
    entry.
    """

    def append(self, space: str, at_us: int, operation: str, entry: str) -> None:
        """Add an entry, with what is written beside it."""

    def rows(self, space: str, after: int, limit: int) -> list[AuditRow]:
        """Return the entries that follow one, by its number, in order."""

    def latest(
        self, space: str, since_us: int, operation: str | None, limit: int
    ) -> list[AuditRow]:
        """Return the last entries since a time, of all operations or of one, oldest first."""

    def head(self, space: str) -> tuple[int, str]:
        """Return the number of the last entry and its digest, as they were noted beside it."""


# How the keys of events and episodes begin, among what is synced; and how one looks that a rule let
# go here, which is no word for other stores.
SYNCED_EVENT, SYNCED_EPISODE, LET_GO = "e", "ep", "let go"


class SyncedRow(NamedTuple):
    """A thing that is synced, as it was last seen here, and the number of its last change.

    ended: until when it holds and what replaced it, if anybody ever said so.
    seen: a digest of the rest.
    """

    key: str
    number: int
    alive: bool
    ended: str | None
    seen: str


class SyncedState(NamedTuple):
    """What stores know of a thing that is synced, and the number of its last change here."""

    key: str
    number: int
    state: str


class Synced(Protocol):
    """What is known of things that several stores of a person keep; it holds no text."""

    def rows(self, space: str) -> list[SyncedRow]:
        """Return all things as they were last seen."""

    def states(self, space: str, keys: Sequence[str]) -> dict[str, str]:
        """Return by key what is known of things."""

    def since(self, space: str, number: int) -> list[SyncedState]:
        """Return what changed after a number, in order."""

    def put(self, space: str, rows: Sequence[tuple[SyncedRow, str]]) -> None:
        """Write down things as they are now, and what is known of them."""

    def let_go(self, space: str, keys: Sequence[str]) -> None:
        """Write down that things went from here alone."""


class Row(NamedTuple):
    """A row of a table: what tells it from the others, and what of it is text, by column."""

    table: str
    key: Mapping[str, Any]
    texts: Mapping[str, str]


class Contents(Protocol):
    """All that a space holds in whatever table, bins and entries with it, but for its audit."""

    def memories(self, space: str, *, entries: bool = False) -> list[int]:
        """Return all memories, also those in bins; or the entries of episodes and patterns."""

    def rows(self, space: str, tables: Sequence[str] | None = None) -> Iterator[Row]:
        """Yield the rows of all tables but those of memories, or of some, that hold text."""

    def counts(self, space: str) -> dict[str, int]:
        """Return by table how many rows there are."""

    def remove(self, row: Row) -> None:
        """Delete a row for good."""

    def rewrite(self, row: Row, values: Mapping[str, str | None]) -> None:
        """Put other texts into some columns of a row."""

    def scrub(self) -> None:
        """Take what was overwritten out of what the store keeps beside its tables."""


class Work(Protocol):
    """The nouns of a store; a write of one of them alone is a durable transaction of its own."""

    @property
    def memories(self) -> Memories: ...
    @property
    def anchors(self) -> Anchors: ...
    @property
    def branches(self) -> Branches: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def candidates(self) -> Candidates: ...
    @property
    def values(self) -> Values: ...
    @property
    def answers(self) -> Answers: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def episodes(self) -> Episodes: ...
    @property
    def patterns(self) -> Patterns: ...
    @property
    def deeds(self) -> Deeds: ...
    @property
    def events(self) -> Events: ...
    @property
    def links(self) -> Links: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def observations(self) -> Observations: ...
    @property
    def documents(self) -> Documents: ...
    @property
    def synced(self) -> Synced: ...
    @property
    def contents(self) -> Contents: ...


class Store(Work, Protocol):
    """Keeps what is remembered, of many spaces."""

    # How many seconds each transaction took that wrote, the latest; whoever counts takes them out.
    write_times: deque[float]

    @property
    def backend(self) -> str: ...

    def within(self, space: str) -> "Store":
        """Return the same store for one space: others are neither seen nor written through it.

        Where nothing but the code's own care can keep spaces apart, that is the store itself.
        """

    def writing(self, *, durable: bool = True) -> AbstractContextManager[Work]:
        """Write several nouns in one transaction, all of it or nothing.

        What is not durable is seen by all, and on disk with the next write that is.
        """

    def rehearsing(self) -> AbstractContextManager[list[str]]:
        """Undo what this thread writes until the end; say in words what it would have done."""

    def version(self, space: str, now_us: int) -> Hashable | None:
        """Return what is another whenever memories of a space, or links between them, are others.

        Two reads of what holds at the moments for which the same was returned show the same, if it
        was asked for before them: so an answer may be given again. It is another after every commit
        of whatever process, after what ends to hold by itself at a moment, and after the store was
        replaced; it costs far less than a search. None where that cannot be told, as in a
        transaction, which sees what may be undone.
        """

    def moved_to(self, space: str) -> str | None:
        """Return the store that a space was moved to: what is left of it here is an old copy."""

    def written_up_to(self) -> int:
        """Return how far a copy that is read must be to show all that is written by now.

        Elsewhere it is given to `own_writes.needing`; 0 where no copy is read that may be behind.
        """

    def size_bytes(self) -> int:
        """Return how much room it takes on disk, with its index; 0 for what is in memory alone."""

    def problems(self) -> Sequence[str]:
        """Tell in words what keeps the store from working as it should; mends what it can."""

    def tend(self) -> None:
        """Do what searches need now and then and nobody shall wait for; it may take minutes.

        Processes that live long call it; where another does it already nothing is done.
        """

    def when_work_comes(self, wake: Callable[[], None]) -> None:
        """Call when others put off work; a store that does not hear of that never calls."""

    def close(self) -> None:
        """Let go of files and connections."""


class Unanswered(Exception):
    """A language model gave no answer, or none in time."""


class LanguageModel(Protocol):
    """Does a task over data, in text; what it answers is checked by whoever asked."""

    @property
    def name(self) -> str: ...
    def ask(self, task: str, told: str, tokens_max: int | None = None) -> str:
        """Return its answer; raise Unanswered when none comes in time."""


class Reflector(Protocol):
    """Words the lessons of an episode better than rules do; may be away, it then returns None."""

    def __call__(self, episode: Episode) -> tuple[Insight, ...] | None: ...


class CodeRunner(Protocol):
    """Runs programs that are not trusted."""

    def run(self, program: "Program", call: Call, progress: Progress | None = None) -> "Execution":
        """Run a program; `call` answers its calls in this thread, `progress` is told of waits."""

    def prepare(self) -> None:
        """Get ready in the background."""

    def status(self) -> "Status":
        """Tell whether programs can be run, and which layers work."""

    def close(self) -> None:
        """Stop all workers."""


class DocumentReader(Protocol):
    """Reads documents of many formats, of which none is trusted; for any number of threads."""

    def read(self, path: "Path", media: str | None = None, *, file: int | None = None) -> Document:
        """Return what a document says; raise Unreadable, which says why, when that fails.

        media: what it is, such as "pdf", where that is known; else its content and name tell.
        file: a descriptor of the very file, where whoever asks has opened it; it stays theirs, and
            `path` is but its name then.
        """

    def check(self, name: str, about: "stat_result") -> None:
        """Raise Unreadable for what is not read whatever it holds, such as a file too large."""

    def close(self) -> None:
        """Stop all that reads."""


class Analyser(Protocol):
    """Makes an analysis of a text; stores use it when their terms are of an older kind."""

    def __call__(self, memory: Indexed) -> Analysis: ...


class Workspace(Protocol):
    """A working tree: of a folder on this machine, or as it is told of from elsewhere."""

    @property
    def project(self) -> Project: ...
    def anchors(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Return the files and symbols of the project that texts name, as they are now."""

    def states(self, anchors: Sequence[Anchor]) -> list[str]:
        """Return of each whether it is the same, "changed" or "gone" by now."""

    def merged(self, branches: Sequence[Branch]) -> list[bool | None]:
        """Return of each branch whether what is checked out holds it, None if that is not known."""


class Workspaces(Protocol):
    """The folders that people work in."""

    def at(self, folder: str) -> Workspace:
        """Return a folder; without a name the one that this process works in."""
