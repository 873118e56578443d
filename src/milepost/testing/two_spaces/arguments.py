"""Arguments for any operation, made from its signature and example: own, foreign and hostile."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, get_args, get_origin

from milepost.registry import Operation, Parameter
from milepost.testing.two_spaces.worlds import SHARED, World

HOSTILE: tuple[Any, ...] = (
    "",
    " ",
    "*",
    "%",
    "_",
    "team-*",
    "' OR 1=1 --",
    '"; DROP TABLE memories; --',
    "../../etc/passwd",
    "\x00",
    "memory://recent",
    "a" * 4_000,
    "\u202e\u0410",
    "-1",
    "0",
    "1",
    "2",
    "3",
)
_MOMENTS: tuple[Any, ...] = ("1d", "2020-01-01", "2030-01-01", "now", 0, 1e9, 4e9, "yesterday")
_NUMBERS = (0, 1, 2, 3, 5, 10, 50, 100, -1, 10**6, 2**40, 2**70)
_OF_TIME = {"after", "before", "since", "at", "as_of", "known_at", "valid_from", "valid_to",
            "created", "expires", "date"}  # fmt: skip


class Draw:
    """Draws arguments for who is in one space and knows some names of the other."""

    def __init__(self, random: Random, own: World, other: World | None) -> None:
        self._random = random
        self._own, self._other = own, other
        self._is_plausible = True
        self.reserved: set[str] = set()

    def arguments(self, operation: Operation) -> dict[str, Any]:
        """Return arguments: those of the example, some of them changed, and some others."""
        random = self._random
        given = {}
        self._is_plausible = random.random() < 0.7
        for parameter in operation.parameters:
            shown = operation.example.get(parameter.name)
            likely = 0.08 if self._is_plausible else 0.3
            if parameter.required or shown is not None or random.random() < likely:
                given[parameter.name] = self._value(parameter, shown)
        if not self._is_plausible and random.random() < 0.05:
            given["space"] = self._world().space
        return {name: value for name, value in given.items() if value is not None}

    def text(self, field: str = "") -> str:
        """Return a text for a field: a name of that field, any name, or words."""
        random, world = self._random, self._world()
        named = world.names.get(field) or world.names.get(field.removesuffix("s"))
        dice = random.random()
        if named and dice < (0.8 if self._is_plausible else 0.4):
            found = random.choice(named)
        elif dice < 0.6:
            found = random.choice(random.choice(list(world.names.values())))
        elif dice < 0.75:
            found = random.choice(world.words.probes)
        elif dice < 0.85:
            found = SHARED.get(field) or random.choice(list(SHARED.values()))
        elif dice < 0.95 or self._is_plausible:
            found = f"the harbour of {random.choice(world.words.probes)} and the cart test"
        else:
            found = str(random.choice((*HOSTILE, world.space, f"{world.space}/x")))
        return SHARED["key"] if found in self.reserved else found

    def _world(self) -> World:
        if self._other is None:
            return self._own
        return self._random.choice((self._own, self._other))

    def _value(self, parameter: Parameter, shown: object) -> Any:
        random = self._random
        if parameter.name == "spaces":
            return random.choice((self._world().space, [self._world().space], "team-*", None))
        if parameter.name in _OF_TIME:
            return random.choice(_MOMENTS[:4] if self._is_plausible else _MOMENTS)
        if shown is not None and random.random() < 0.6:
            return self._changed(shown, parameter.name)
        return self._of_type(parameter.type, parameter.name)

    def _of_type(self, kind: Any, name: str) -> Any:
        random = self._random
        option = random.choice([k for k in get_args(kind) or (kind,) if k is not type(None)])
        if get_origin(kind) is list:
            option = kind
        if get_origin(option) is list:
            return [self._of_type(get_args(option)[0], name) for _ in range(random.randint(1, 3))]
        if option is bool:
            return random.random() < 0.5
        if option in (int, float):
            return random.choice(_NUMBERS[1:6] if self._is_plausible else _NUMBERS)
        if option is str:
            return self.text(name)
        return {self.text(name): self.text() for _ in range(random.randint(1, 2))}

    def _changed(self, shown: object, name: str) -> Any:
        """Return a value of the example in which some of the texts are others."""
        if isinstance(shown, dict):
            return {key: self._changed(value, str(key)) for key, value in shown.items()}
        if isinstance(shown, list | tuple):
            return [self._changed(value, name) for value in shown]
        return self.text(name) if isinstance(shown, str) and self._random.random() < 0.7 else shown


def program(random: Random, draw: Draw, operations: Sequence[Operation]) -> str:
    """Return a program that calls some operations and prints what it is told."""
    lines: list[str] = []
    for operation in random.choices(operations, k=random.randint(1, 3)):
        given = draw.arguments(operation)
        call = f"{operation.name}(**{given!r})"
        shown = f"list({call})" if operation.streams else call
        lines += ["try:", f"    print(repr({shown}))", "except Exception as e:", "    print(e)"]
    lines.append("print(sorted(state), dict(state))")
    return "\n".join(lines)
