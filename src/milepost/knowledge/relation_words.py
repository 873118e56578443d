"""What is known of words for relations: which can have one target, and what they mean backwards."""

from milepost.text.naming import word_key

# A thing has one of these at a time: two that hold at once contradict each other.
SINGLE = (
    "works_at",
    "works_for",
    "employed_by",
    "reports_to",
    "lives_in",
    "located_in",
    "based_in",
    "defined_in",
    "implemented_in",
    "version_of",
    "has_version",
    "owned_by",
    "maintained_by",
    "assigned_to",
    "hosted_on",
    "deployed_to",
    "replaced_by",
    "married_to",
    "born_in",
)

_BACKWARDS = {
    "uses": "used_by",
    "depends_on": "required_by",
    "requires": "required_by",
    "imports": "imported_by",
    "calls": "called_by",
    "contains": "part_of",
    "includes": "part_of",
    "owned_by": "owns",
    "maintained_by": "maintains",
    "decided_by": "decided",
    "created_by": "created",
    "written_by": "wrote",
    "defined_in": "defines",
    "implemented_in": "implements",
    "located_in": "location_of",
    "works_at": "employs",
    "works_for": "employs",
    "reports_to": "manages",
    "assigned_to": "works_on",
    "replaced_by": "replaces",
    "fixed_by": "fixes",
    "caused_by": "causes",
    "tested_by": "tests",
    "hosted_on": "hosts",
    "version_of": "has_version",
}


_KNOWN = frozenset((*SINGLE, *_BACKWARDS, *_BACKWARDS.values()))
_AUXILIARIES = ("is_", "are_", "was_", "were_", "has_been_", "have_been_")


def normalised(word: str) -> str:
    """Return a word for a relation as the rules say it: "is used by" is used_by, "use" is uses."""
    key = word_key(word)
    for auxiliary in _AUXILIARIES:
        key = key.removeprefix(auxiliary)
    first, *rest = key.split("_")
    finite = "_".join((f"{first}s", *rest))
    return finite if key not in _KNOWN and finite in _KNOWN else key


def backwards(word: str) -> tuple[str, ...]:
    """Return the words that say the same of a relation from its other end."""
    key = word_key(word)
    forth = (_BACKWARDS[key],) if key in _BACKWARDS else ()
    return (*forth, *(known for known, back in _BACKWARDS.items() if back == key))
