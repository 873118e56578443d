"""The host's functions as plain Python functions with their real signatures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from milepost.sandbox.guest import PARAMETERS_MAX, exchange
from milepost.sandbox.guest.waiting import compiled

Call = Callable[[str, str], str]


def _template(count: int) -> CodeType:
    """Compile a function of some parameters, whose names are put in later."""
    names = ", ".join(f"p{i}" for i in range(count))
    scope: dict[str, Any] = {}
    exec(f"def template({names}): return __send__(locals())", scope)  # noqa: S102 -- our own text
    code: CodeType = scope["template"].__code__
    return code


# Compiling one per offered function and run would cost more than the run.
_TEMPLATES = [_template(count) for count in range(PARAMETERS_MAX + 1)]


class Functions:
    """The functions that a program is offered."""

    def __init__(self, offered: Sequence[Mapping[str, Any]], call: Call) -> None:
        self._call = call
        self.argument_bytes_max = 0
        self.parameters = {
            f["name"]: {name: rest for name, *rest in f["parameters"]} for f in offered
        }
        self.by_name = {f["name"]: self._made(f["name"], f["doc"]) for f in offered}

    def _made(self, name: str, doc: str) -> FunctionType:
        parameters = self.parameters[name]
        optional = {p: default for p, (required, default) in parameters.items() if not required}

        def send(values: dict[str, Any]) -> Any:
            chosen = {p: v for p, v in values.items() if p not in optional or v is not optional[p]}
            payload = exchange.arguments(chosen)
            if len(payload) > self.argument_bytes_max:
                raise ValueError(f"{len(payload):,} bytes of arguments are too much for a run")
            result = exchange.result(self._call(name, payload))
            if "get" in self.by_name:
                exchange.read_by(result, self.by_name["get"])
            return result

        code = _TEMPLATES[len(parameters)].replace(
            co_name=name, co_qualname=name, co_varnames=tuple(parameters), co_filename="<milepost>"
        )
        function = FunctionType(code, {"__send__": send}, name, tuple(optional.values()))
        function.__doc__, function.__module__ = f"{self.signature(name)}\n\n{doc}", "milepost"
        return function

    def signature(self, name: str) -> str:
        """Return how a function is called."""
        shown = [
            parameter if required else f"{parameter}={default!r}"
            for parameter, (required, default) in self.parameters[name].items()
        ]
        return f"{name}({', '.join(shown)})"


class SavedSkills:
    """Functions that were saved earlier: `skills.name(...)`."""

    def __init__(self, sources: Mapping[str, str], scope: Mapping[str, Any]) -> None:
        self.__dict__["_sources"] = sources
        self.__dict__["_scope"] = scope

    def __getattr__(self, name: str) -> Any:
        source = self._sources.get(name)
        if source is None:
            known = ", ".join(self._sources) or "none yet"
            raise AttributeError(f"there is no skill {name!r}; there are: {known}")
        scope = {**self._scope, "__name__": f"skills.{name}", "skills": self}
        file = f"<skill {name}>"
        exec(compiled(source, file), scope)  # noqa: S102 -- this is the guest
        skills = {key: f for key, f in scope.items() if _is_from(f, file)}
        if not skills:
            raise AttributeError(f"the skill {name!r} defines no function")
        self.__dict__[name] = skills.get(name) or list(skills.values())[-1]
        return self.__dict__[name]

    def __dir__(self) -> list[str]:
        return sorted(self._sources)

    def __repr__(self) -> str:
        return f"skills({', '.join(self._sources)})"


def _is_from(value: object, file: str) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == file
