"""List what is remembered: the newest, the tags, what nobody has looked through yet."""

from collections.abc import Sequence

from milepost.memory import validation
from milepost.memory.context import Service
from milepost.memory.holding import NOTICE
from milepost.memory.home import branch_named
from milepost.memory.search import Ranked, filter_for, result_of
from milepost.memory.validation import Moment
from milepost.memory.values import CompactSearchResult, TagList
from milepost.operation import operation

LINES = 20
TAGS = 50
PAGES_MAX = 1_000_000


class Inventory(Service):
    """The operations that show what there is, without a question."""

    @operation(
        "memory",
        example='list_memories(kind="decision", limit=5)',
        read_only=True,
        aliases=("get_all", "get_all_memories", "get_memories", "recall_by_timeframe"),
        renamed={
            "since": "after",
            "until": "before",
            "start_date": "after",
            "end_date": "before",
            "tag": "tags",
            "memory_type": "kind",
            "run_id": "session",
            "page_size": "limit",
            "n_results": "limit",
            "superseded": "include_superseded",
        },
    )
    def list_memories(
        self,
        limit: int = LINES,
        page: int = 1,
        kind: str | None = None,
        project: str | None = None,
        tags: str | Sequence[str] | None = None,
        match: str = "any",
        session: str | None = None,
        branch: str | None = None,
        after: Moment | None = None,
        before: Moment | None = None,
        include_superseded: bool = False,
        budget: int | None = None,
        min_trust: str | None = None,
        author: str | None = None,
    ) -> CompactSearchResult:
        """List the newest memories, all or those of a kind, project, tag, session, branch or time.

        limit: how many a page has.
        page: which page, from 1 on.
        kind: only this kind.
        project: only this project.
        tags: only memories with these tags.
        match: "any" of the tags or "all" of them.
        session: only this session.
        branch: only what belongs to this branch, until it is merged.
        after: only memories created at or after this time.
        before: only memories created before this time.
        include_superseded: also show memories that were replaced.
        budget: ceiling in tokens for the text of the result.
        min_trust: only what is trusted as much as this source: user, assistant, tool and so on.
        author: only what this author said.
        """
        context = self._context
        count, ceiling = validation.limit(limit), validation.budget(budget)
        first = (validation.whole("page", page, 1, PAGES_MAX) - 1) * count
        where = filter_for(context, tags, match, kind, after, before, project, include_superseded)
        named = context.lenient().intake()
        where = where._replace(
            session=named.optional_name("session", session),
            author=named.optional_name("author", author),
            branch=branch_named(branch),
            trust_min=validation.trust(min_trust),
        )
        found = context.store.candidates.page(where, count, first)
        ranked = Ranked(found.ids, [1.0] * len(found.ids), max(found.total - first, 0))
        return result_of(context, "", ranked, count, ceiling)

    @operation(
        "memory",
        example='tags(project="shop")',
        read_only=True,
        aliases=("list_tags",),
    )
    def tags(self, project: str | None = None, limit: int = TAGS) -> TagList:
        """List the tags, most used first, with how many memories have each, in all and by project.

        project: only what belongs to this project.
        limit: how many to show at most.
        """
        context = self._context
        count = validation.limit(limit)
        owner = filter_for(context, project=project).project
        found = context.store.counts.tags(context.space, owner, context.clock())
        return TagList(tuple(found[:count]), len(found))

    @operation("memory", example="review(limit=5)", read_only=True)
    def review(
        self,
        limit: int = LINES,
        everything: bool = False,
        project: str | None = None,
        after: Moment | None = None,
        budget: int | None = None,
        quarantined: bool = False,
    ) -> CompactSearchResult:
        """List what was captured from sessions and nobody has looked through, the newest first.

        The command `milepost review` asks of each whether to keep, edit, drop or merge it. What was
        kept says so in its metadata, under "reviewed".

        limit: how many to show at most.
        everything: also what was stored by hand or imported.
        project: only this project.
        after: only memories created at or after this time.
        budget: ceiling in tokens for the text of the result.
        quarantined: only what is told to nobody until a person keeps it: texts that want to
            instruct a model and are not the user's.
        """
        context = self._context
        count, ceiling = validation.limit(limit), validation.budget(budget)
        waiting = validation.flag("quarantined", quarantined)
        by = None if validation.flag("everything", everything) or waiting else NOTICE
        where = filter_for(context, after=after, project=project)._replace(quarantined=waiting)
        page = context.store.candidates.unreviewed(where, by, count)
        ranked = Ranked(page.ids, [1.0] * len(page.ids), page.total)
        return result_of(context, "", ranked, count, ceiling)
