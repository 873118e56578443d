"""The component's exports; all that is imported here is in the snapshot that runs start from."""

from __future__ import annotations

import builtins
import gc
import inspect
import json
import sys
import warnings
from importlib import import_module

import wit_world  # type: ignore[import-not-found]  # made by componentize-py
from wit_world.imports import host  # type: ignore[import-not-found]

from milepost import errors
from milepost.experience import values as experience
from milepost.memory import values as memory
from milepost.sandbox.guest import exchange, modules, waiting
from milepost.sandbox.guest.functions import Functions
from milepost.sandbox.guest.output import Output
from milepost.sandbox.guest.program import ProgramRun
from milepost.sandbox.guest.teaching import told
from milepost.sandbox.guest.zones import install_zones
from milepost.sessions import values as sessions
from milepost.upkeep import values as upkeep

for _name in (*modules.MODULES, *modules.HIDDEN, *modules.codecs()):
    import_module(_name)
# In the guest the package is empty; what it has for programs is put there, functions later.
for _module in (errors, memory, sessions, experience, upkeep):
    _public = {n: k for n, k in vars(_module).items() if isinstance(k, type) and n[0] != "_"}
    vars(sys.modules["milepost"]).update(_public)
install_zones()
builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]
# The one in the library is a browser of pages.
builtins.help = lambda thing: print(inspect.getdoc(thing))  # type: ignore[assignment]
# What long numbers cost is bounded by the time of a run.
sys.set_int_max_str_digits(0)
waiting.install(host.sleep)
# Of no use to a model, and printed text costs.
warnings.simplefilter("ignore", SyntaxWarning)
warnings.simplefilter("ignore", DeprecationWarning)

# Made now: when they are needed there may be no memory, or no working json.
_FULL, _BROKEN = (
    json.dumps({"error": told(kind, message)})
    for kind, message in (
        ("memory", "The program used up its memory; keep less at a time."),
        ("crash", "The program broke the interpreter that it ran in."),
    )
)
_HEAP_BYTES = 1 << 20
_BOUNDS = ("value_bytes_max", "state_bytes_max", "argument_bytes_max")
_ANSWER = "+" + json.dumps(
    {
        "$": "CompactSearchResult",
        "fields": [
            [
                {"$": "CompactMemory", "fields": [f"{i:8x}", "some text " * 12, ["a", "b"], i, 1.5]}
                for i in range(20)
            ],
            20,
            "",
        ],
    }
)
_TYPICAL = """
import json, re
from collections import Counter, defaultdict
groups = defaultdict(list)
for m in state["found"]:
    if m.score > 1 and "a" in m.tags and re.search("text", m.preview):
        groups[m.hash[-1]].append(m.preview.split())
print(*sorted(groups)[:9], sep="\\n")
Counter({k: len(v) for k, v in groups.items()}).most_common(3)
"""
_functions = Functions([], host.call)


class WitWorld(wit_world.WitWorld):  # type: ignore[misc]
    """What the host calls."""

    def prime(self, functions: str) -> None:
        """Make the offered functions."""
        global _functions  # noqa: PLW0603 -- one instance serves one run
        for name in _functions.by_name:
            vars(sys.modules["milepost"]).pop(name, None)
        _functions = Functions(json.loads(functions), host.call)

    def rehearse(self) -> None:
        """Run something typical, so that the pages it touches are copied before they are needed."""
        # Written over, so that it is there; freed, so that the run has it.
        _ = bytearray(b"\1") * _HEAP_BYTES
        del _
        memories = exchange.result(_ANSWER).memories
        request = {"code": _TYPICAL, "state": {"found": memories}, "skills": {}}
        output = Output(lambda _text: None, 10_000)
        ProgramRun(request | dict.fromkeys(_BOUNDS, 10_000), _functions, output).run()

    def run(self, program: str) -> str:
        """Run a program."""
        request = json.loads(program)
        output = Output(host.write, request["output_bytes_max"])
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = output  # type: ignore[misc, assignment]
        try:
            ended = json.dumps(ProgramRun(request, _functions, output).run(), ensure_ascii=False)
            # Text with lone surrogates cannot leave the guest.
            return ended.encode("utf-8", "replace").decode()
        except MemoryError:
            return _FULL
        except BaseException:  # noqa: BLE001 -- a program can spoil what this code stands on
            return _BROKEN


# Collections need not walk, and so not copy, what is in the snapshot.
gc.collect()
gc.freeze()
