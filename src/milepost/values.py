"""Named tuples that cost nothing to define.

typing.NamedTuple takes longer to import than a whole question to a warm process takes, and so
does collections.namedtuple. A module that defines some must postpone its annotations
(`from __future__ import annotations`).
"""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 -- says that it is for others
else:
    from _collections import _tuplegetter

    def _new(cls, *args, **kwargs):
        fields = cls._fields
        if len(args) == len(fields) and not kwargs:
            return tuple.__new__(cls, args)
        given = dict(zip(fields, args, strict=False)) | kwargs
        missing = [f for f in fields if f not in given and f not in cls._field_defaults]
        unknown = [name for name in kwargs if name not in fields[len(args) :]]
        if missing or unknown or len(args) > len(fields):
            wrong = f"lacks {missing}" if missing else f"does not take {unknown or args}"
            raise TypeError(f"{cls.__name__} {wrong}; its fields are {', '.join(fields)}")
        return tuple.__new__(cls, [given.get(f, cls._field_defaults.get(f)) for f in fields])

    def _replace(self, **changes):
        return type(self)(**(self._asdict() | changes))

    def _asdict(self):
        return dict(zip(self._fields, self, strict=True))

    def _arguments(self):
        return tuple(self)

    def _repr(self):
        shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({shown})"

    class _Named(type):
        """Makes of a class with annotations what typing.NamedTuple would make of it."""

        def __new__(cls, name, bases, namespace):  # noqa: ARG004
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            made = {field: _tuplegetter(i, field) for i, field in enumerate(fields)}
            made |= {"_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            made |= {"__new__": _new, "_make": classmethod(lambda cls, items: cls(*items))}
            made |= {"_replace": _replace, "_asdict": _asdict, "__repr__": _repr}
            made |= {"__slots__": (), "__getnewargs__": _arguments}
            return type(name, (tuple,), made | namespace)

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})
