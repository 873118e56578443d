"""Named tuples that cost nothing to define.

typing.NamedTuple takes longer to import than a whole question to a warm process takes, and so
does collections.namedtuple. A module that defines some must postpone its annotations
(`from __future__ import annotations`).
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 -- says that it is for others

    T = TypeVar("T")
else:
    from _collections import _tuplegetter

    def _new(cls, *args, **kwargs):
        fields = cls._fields
        if len(args) == len(fields) and not kwargs:
            return tuple.__new__(cls, args)
        # By name or with defaults it is made again and again: worth a function of its own by now.
        cls.__new__ = _constructor(cls)
        return cls.__new__(cls, *args, **kwargs)

    def _constructor(cls):
        defaults = cls._field_defaults
        named = ", ".join(f if f not in defaults else f"{f}=_d[{f!r}]" for f in cls._fields)
        source = f"lambda _cls, {named}: _new(_cls, ({', '.join(cls._fields)},))"
        constructor = eval(source, {"_d": defaults, "_new": tuple.__new__})  # noqa: S307 -- our own names
        constructor.__name__ = constructor.__qualname__ = cls.__name__
        return staticmethod(constructor)

    # A result may be gone through otherwise than field by field: these take it as a tuple.
    def _replace(self, **changes):
        values = list(tuple.__iter__(self))
        for name, value in changes.items():
            values[self._fields.index(name)] = value
        return tuple.__new__(type(self), values)

    def _asdict(self):
        return dict(zip(self._fields, tuple.__iter__(self), strict=True))

    def _arguments(self):
        return tuple(tuple.__iter__(self))

    def _repr(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({shown})"

    class _Named(type):
        """Makes of a class with annotations what typing.NamedTuple would make of it."""

        def __new__(cls, name, bases, namespace):  # noqa: ARG004
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            members = {field: _tuplegetter(i, field) for i, field in enumerate(fields)}
            members |= {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            members |= {"__new__": _new, "_make": classmethod(lambda cls, items: cls(*items))}
            members |= {"_replace": _replace, "_asdict": _asdict, "__repr__": _repr}
            members |= {"__slots__": (), "__getnewargs__": _arguments}
            return type(name, (tuple,), members | namespace)

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})


def fields_of(result: Any) -> Iterator[Any]:
    """Yield the fields of a named tuple, whatever going through it yields otherwise."""
    return tuple.__iter__(result)


def by_name(kind: type[T]) -> type[T]:
    """Let a result be asked for what stands under a name, as in JSON: `event["content"]`."""
    kind.__getitem__ = _item  # type: ignore[index]
    return kind


def _item(result: Any, key: Any) -> Any:
    if not isinstance(key, str):
        return tuple.__getitem__(result, key)
    if key not in result._fields:
        raise KeyError(f"{key!r}; there are {', '.join(result._fields)}")
    return getattr(result, key)


# The capabilities whose values operations return, in the order in which they are looked through.
RESULTS = (
    "memory", "sessions", "experience", "knowledge", "programs", "documents", "upkeep",
    "upkeep.alerts", "upkeep.backups", "access", "measuring",
)  # fmt: skip


# Types of results by their names, as far as they were asked for.
_RESULT_TYPES: dict[str, Any] = {}


def result_type(name: str) -> Any:
    """Return the type of a result by its name; modules are loaded until it is there."""
    for module in RESULTS if name not in _RESULT_TYPES else ():
        kind = getattr(__import__(f"milepost.{module}.values", fromlist=("_",)), name, None)
        if kind is not None:
            _RESULT_TYPES[name] = kind
            break
    return _RESULT_TYPES[name]


def result_types() -> dict[str, Any]:
    """Return all types of results by their names."""
    modules = [__import__(f"milepost.{module}.values", fromlist=("_",)) for module in RESULTS]
    pairs = (pair for module in modules for pair in vars(module).items())
    return {name: kind for name, kind in pairs if hasattr(kind, "_fields") and type(kind) is type}


class _Remarked:
    """A result of any type with remarks beside what it is.

    secrets_hidden: how many secrets were not written.
    may_replace: what a stored memory may take the place of, and why.
    """

    plain: Any
    secrets_hidden: int
    may_replace: str

    def __str__(self) -> str:
        return str(self.plain)

    def __repr__(self) -> str:
        return f"{self.plain!r}{remarks(self)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return remarked, (self.plain, self.secrets_hidden, self.may_replace)


# By the type of a result, the same type for results with remarks.
_REMARKED: dict[type, Any] = {}


def remarked(result: T, secrets_hidden: int = 0, may_replace: str = "") -> T:
    """Return a result with remarks more; without any it stays what it is."""
    if not secrets_hidden and not may_replace:
        return result
    if isinstance(result, _Remarked):
        count, said = secrets_hidden + result.secrets_hidden, may_replace or result.may_replace
        return remarked(result.plain, count, said)  # type: ignore[no-any-return]
    kind = type(result)
    if kind not in _REMARKED:
        _REMARKED[kind] = type(kind.__name__, (_Remarked, kind), {})
    values = tuple.__iter__(result) if isinstance(result, tuple) else (result,)
    marked: Any = _REMARKED[kind](*values)
    marked.plain, marked.secrets_hidden, marked.may_replace = result, secrets_hidden, may_replace
    return marked  # type: ignore[no-any-return]


def uncounted(result: Any) -> Any:
    """Return a result, or a list of them, without what it says about secrets."""
    if isinstance(result, list):
        return [uncounted(item) for item in result]
    return remarked(result.plain, 0, result.may_replace) if secrets_hidden(result) else result


def secrets_hidden(result: Any) -> int:
    """Return how many secrets a result, or the items of a list, say were hidden."""
    if isinstance(result, list):
        return sum(map(secrets_hidden, result))
    return result.secrets_hidden if isinstance(result, _Remarked) else 0


def remarks(result: Any) -> str:
    """Return what is added to the text of a result that has remarks."""
    count, older = secrets_hidden(result), getattr(result, "may_replace", "")
    text = f"; may replace {older}" if older else ""
    return text + (f"; {count:,} {'secret' if count == 1 else 'secrets'} hidden" if count else "")
