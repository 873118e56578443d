"""Documents by their names, and where in them memories stand that are pieces of one."""

from collections.abc import Sequence

from milepost.documents.values import StoredDocument
from milepost.errors import Ambiguous, NotFound
from milepost.memory import validation
from milepost.memory.context import Context
from milepost.memory.values import PIECE, Record

_PATH_CHARS_MAX = 4_096
_MEANT_MAX = 5


def places_of(context: Context, records: Sequence[Record]) -> dict[int, str]:
    """Return by memory the document it stands in, with page or line and heading."""
    ids = [record.id for record in records if record.kind == PIECE]
    places = context.store.documents.places(ids) if ids else {}
    return {memory_id: str(place) for memory_id, place in places.items()}


def without_lead(content: str) -> str:
    """Return what a piece of a document says below the line of its headings."""
    _, _, rest = content.partition("\n")
    return rest if rest.strip() else content


def name_of(document: object) -> str:
    """Return what a document is called by somebody."""
    return validation.text("document", document, _PATH_CHARS_MAX)


def document_named(context: Context, document: object) -> StoredDocument:
    """Return the one document that goes by a name, a path or the end of one."""
    said = name_of(document)
    found = named_so(context.store.documents.every(context.space), said)
    there = [one for one in found if not one.ended_us] or found
    if not there:
        raise NotFound(f"No document is called {said}; list_documents shows what there is.")
    if len(there) > 1:
        names = ", ".join(one.path for one in there[:_MEANT_MAX])
        raise Ambiguous(f"{len(there)} documents are called {said}: {names}; name one by its path.")
    return there[0]


def named_so(
    documents: Sequence[StoredDocument], said: str, *, folders: bool = False
) -> list[StoredDocument]:
    """Return the documents of a name or a path, or below a folder of it."""
    said = said.rstrip("/")
    end = f"/{said}".replace("//", "/")
    exact = [one for one in documents if said in (one.name, one.path)]
    if exact:
        return exact
    return [
        one
        for one in documents
        if one.path.endswith(end) or (folders and f"{end}/" in one.path.rpartition("/")[0] + "/")
    ]
