"""All operations, read off their signatures and docstrings; every surface is derived from here."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from milepost.deadline import beside_the_answer
from milepost.errors import InvalidInput, NotFound, Unreachable
from milepost.operation import CATEGORIES, OperationSpec, operation_methods

_PARAMETER_LINE = re.compile(r"^(\w+): (.+)$", re.MULTILINE)


class Parameter(NamedTuple):
    """One parameter of an operation, with the type it has on the wire."""

    name: str
    type: Any
    required: bool
    default: object
    description: str

    @property
    def shown_type(self) -> str:
        """The type in words: `str | list[str]`."""
        options = get_args(self.type) if get_origin(self.type) is Union else (self.type,)
        return " | ".join(_type_name(option) for option in options if option is not NoneType)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the values it takes."""
        import msgspec

        options = [t for t in get_args(self.type) if t is not NoneType]
        union = get_origin(self.type) is Union and options
        schema = msgspec.json.schema(Union[tuple(options)] if union else self.type)  # noqa: UP007
        schema["description"] = self.description
        if self.default is not None:
            schema["default"] = self.default
        return schema


class Operation(NamedTuple):
    """An operation as a surface sees it."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    returns: Any
    spec: OperationSpec

    @property
    def streams(self) -> bool:
        """Whether the result comes item by item."""
        return get_origin(self.returns) is Iterator

    @property
    def returned(self) -> str:
        """What comes back, in words: `CompactSearchResult(memories, total, query)`."""
        return _type_name(self.returns, fields=True)

    @property
    def signature(self) -> str:
        """The call in one line: `delete(hash) -> Deleted`."""
        shown = [p.name if p.required else f"{p.name}={p.default!r}" for p in self.parameters]
        return f"{self.name}({', '.join(shown)}) -> {_type_name(self.returns)}"

    @property
    def example(self) -> dict[str, Any]:
        """The arguments of the documented example, by name."""
        tree = ast.parse(self.spec.example, mode="eval")
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        call = next(c for c in calls if isinstance(c.func, ast.Name) and c.func.id == self.name)
        named = {word.arg: word.value for word in call.keywords if word.arg}
        by_position = {p.name: v for p, v in zip(self.parameters, call.args, strict=False)}
        return {name: ast.literal_eval(value) for name, value in (by_position | named).items()}

    def takes(self, name: str) -> bool:
        """Whether there is a parameter of that name."""
        return any(parameter.name == name for parameter in self.parameters)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {p.name: p.schema() for p in self.parameters},
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def bind(self, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Return the arguments as the method takes them; refuse what does not fit."""
        known = {parameter.name: parameter for parameter in self.parameters}
        renamed = dict(self.spec.renamed)
        values = {n if n in known else renamed.get(n, n): v for n, v in arguments.items()}
        for name in values:
            if name not in known:
                raise unknown_parameter(self.name, name, list(known))
        for parameter in self.parameters:
            if parameter.required and parameter.name not in values:
                raise InvalidInput(f"{self.name} needs {parameter.name}: {parameter.description}")
        return {name: _converted(known[name], value) for name, value in values.items()}

    def call(self, memory: object, arguments: Mapping[str, object]) -> Any:
        """Run the operation of a memory with arguments as they came over the wire."""
        return getattr(memory, self.name)(**self.bind(arguments))

    def answer(self, memory: object, arguments: Mapping[str, object]) -> Any:
        """Answer for a surface: run the operation, and note down what it has shown."""
        result = self.call(memory, arguments)
        self.note(memory, arguments, result)
        return result

    def note(self, memory: object, arguments: Mapping[str, object], result: object) -> None:
        """Note down what was shown, by the operation that the spec names for that."""
        if not self.spec.noted_by:
            return
        note = getattr(memory, self.spec.noted_by)
        wanted = inspect.signature(note).parameters
        given = {name: arguments.get(name) or getattr(result, name, None) for name in wanted}
        if all(given.values()):
            # What was shown may be deleted by now, and a server be gone.
            with suppress(NotFound, Unreachable), beside_the_answer():
                note(**given)


def _converted(parameter: Parameter, value: object) -> Any:
    """Return a value that was typed as text in its own type; what is wrong the method refuses."""
    import msgspec

    try:
        return msgspec.convert(value, parameter.type, strict=False)
    except msgspec.ValidationError:
        return value


def unknown_parameter(called: str, name: str, known: Sequence[str]) -> InvalidInput:
    """Return the refusal of a parameter that does not exist, with the one it may have meant."""
    near = get_close_matches(name.lower(), known, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return InvalidInput(
        f"{called} has no parameter {name!r}{meant}; it takes {', '.join(known) or 'none'}."
    )


def operations_of(owner: type) -> dict[str, Operation]:
    """Return the operations that a class has, by name."""
    methods = operation_methods(owner)
    return {name: _described(name, method, method.operation) for name, method in methods}


def find(operations: Mapping[str, Operation], name: str) -> Operation:
    """Return an operation by its name or an alias of it."""
    for operation in operations.values():
        if name == operation.name or name in operation.spec.aliases:
            return operation
    near = nearest_names(operations, name)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(operations)}."
    raise NotFound(f"There is no operation {name!r}; {hint}")


def nearest_names(operations: Mapping[str, Operation], name: str) -> list[str]:
    """Return the operations whose names, or aliases, have its words or look most like a name."""
    ordered = [o for members in by_category(operations).values() for o in members]
    names = {alias: o.name for o in ordered for alias in (o.name, *o.spec.aliases)}
    wanted = name.lower().replace("-", "_")
    words = set(wanted.split("_"))
    with_words = [known for known in names if words <= set(known.split("_"))]
    near = [*with_words, *get_close_matches(wanted, names, n=3, cutoff=0.5)]
    return list(dict.fromkeys(names[key] for key in near))[:3]


def by_category(operations: Mapping[str, Operation]) -> dict[str, list[Operation]]:
    """Return the operations of each category that has any."""
    grouped = {
        category: [o for o in operations.values() if o.spec.category == category]
        for category in CATEGORIES
    }
    return {category: members for category, members in grouped.items() if members}


# What people call what operations do.
_OUR_WORDS = dict.fromkeys(("remove", "erase", "forget", "drop"), "delete") | dict.fromkeys(
    ("summarise", "summary"), "summarize"
)


def fitting(operations: Mapping[str, Operation], need: str, limit: int = 3) -> list[Operation]:
    """Return the operations that serve a need best, which is told in words; none if none does."""
    from milepost.text.words import terms

    wanted = {term for word in need.split() for term in terms(_OUR_WORDS.get(word.lower(), word))}
    texts = {o.name: _described_terms(o) for o in operations.values()}
    holders = {t: sum(t in held for held in texts.values()) for t in wanted}
    scores = {
        name: sum(held.get(term, 0.0) / holders[term] for term in wanted if term in held)
        + _named_share(name, wanted)
        for name, held in texts.items()
    }
    best = sorted(operations.values(), key=lambda o: -scores[o.name])
    return [o for o in best if scores[o.name] > 0][:limit]


def _named_share(name: str, wanted: set[str]) -> float:
    """Return a little for how much of a name is asked for: `tags` is what tags mean."""
    from milepost.text.words import terms

    own = set(terms(name.replace("_", " ")))
    return 0.1 * len(own & wanted) / len(own) if own else 0.0


def _described_terms(operation: Operation) -> dict[str, float]:
    """Return the terms of an operation's description: its name says most, its parameters least."""
    from milepost.text.words import terms

    weights: dict[str, float] = {}
    names = " ".join((operation.name, *operation.spec.aliases)).replace("_", " ")
    details = " ".join(f"{p.name} {p.description}" for p in operation.parameters)
    for text, weight in ((details, 0.3), (operation.summary, 1.0), (names, 2.0)):
        weights |= dict.fromkeys(terms(text), weight)
    return weights


@cache
def _described(name: str, method: Callable[..., Any], spec: OperationSpec) -> Operation:
    text = inspect.getdoc(method) or ""
    summary = text.partition("\n\n")[0].replace("\n", " ")
    descriptions = dict(_PARAMETER_LINE.findall(text))
    hints = get_type_hints(method)
    parameters = tuple(
        Parameter(
            p.name,
            wire_type(hints[p.name]),
            p.default is p.empty,
            None if p.default is p.empty else p.default,
            descriptions.get(p.name, ""),
        )
        for p in list(inspect.signature(method).parameters.values())[1:]
    )
    return Operation(name, summary, parameters, hints["return"], spec)


def wire_type(hint: Any) -> Any:
    """Return the JSON-like type for a Python one: dates travel as text, sequences as lists."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        options = [wire_type(option) for option in inner if _travels(option)]
        return Union[tuple(options)]  # noqa: UP007 -- built at run time
    if origin is Sequence or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return list[wire_type(inner[0])]  # type: ignore[misc]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[str, Any]
    return hint


def _travels(hint: Any) -> bool:
    return get_origin(hint) is not None or hint in (str, int, float, bool, NoneType, Any)


def _type_name(kind: Any, *, fields: bool = False) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is not None:
        if origin is dict:
            return "object"
        name = "" if origin is Union else str(origin.__name__)
        shown = [_type_name(part, fields=fields) for part in inner if part is not Ellipsis]
        return f"{name}[{', '.join(shown)}]" if name else " | ".join(shown)
    if fields and hasattr(kind, "_fields"):
        return f"{kind.__name__}({', '.join(kind._fields)})"
    return str(getattr(kind, "__name__", kind))
