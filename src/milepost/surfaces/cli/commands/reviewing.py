"""`milepost review`: look through what was captured, one memory after the other."""

import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from milepost.app import Operations
from milepost.config import editor
from milepost.errors import InvalidInput, MilepostError
from milepost.memory.values import REVIEWED, USER, CompactSearchResult, Memory
from milepost.surfaces.cli.command import Call
from milepost.surfaces.cli.operation_commands import or_nothing
from milepost.surfaces.cli.printer import View
from milepost.surfaces.cli.terminal import paint
from milepost.text.fence import cleaned
from milepost.text.lines import counted, day
from milepost.workspace.values import EVERYWHERE

_ASKED = "keep, edit, drop, merge, skip, quit? [k/e/d/m/s/q] "
_NEAR = 5


def review(call: Call) -> object:
    """Ask of each memory what shall become of it; where nobody can be asked, list them."""
    if call.values["approve"] or call.values["drop"]:
        return _decided(call)
    asked = {"limit": call.values["limit"], "everything": call.values["all"]}
    asked |= {"project": call.values["project"], "after": call.values["since"]}
    asked |= {"quarantined": call.values["quarantined"]}
    found: CompactSearchResult = call.ask("review", asked, only_reads=True)
    asks = sys.stdin.isatty() and sys.stdout.isatty() and "form" not in call.values
    if asks and found.memories:
        return Review(call.memory()).go_through(found)
    return or_nothing(call, found)


def _decided(call: Call) -> View:
    """Do what was decided of memories that are named."""
    memory = call.memory()
    keep = [memory.get(name) for name in call.values["approve"] or ()]
    drop = [memory.get(name).full_hash for name in call.values["drop"] or ()]
    for each in keep:
        memory.update(each.full_hash, metadata=_reviewed(each))
    if drop:
        memory.delete_batch(drop)
    done = {"kept": len(keep), "dropped": len(drop)}
    told = ", ".join(f"{count} {deed}" for deed, count in done.items() if count)
    return View(done, f"{told}; `milepost undo` takes back the last")


class Quit(Exception):
    """Whoever is asked has enough."""


class Review:
    """One walk through memories; what is decided of each is done at once."""

    def __init__(self, memory: Operations) -> None:
        self._memory = memory
        self._done: Counter[str] = Counter()
        self._gone: set[str] = set()
        self._answers: dict[str, Callable[[Memory], str]] = {
            "k": self._keep,
            "e": self._edit,
            "d": self._drop,
            "m": self._merge,
            "s": lambda _: "skipped",
        }

    def go_through(self, found: CompactSearchResult) -> View:
        """Ask of each memory, and return what was done in all."""
        names = [memory.hash for memory in found.memories]
        try:
            for place, name in enumerate(names, 1):
                if name not in self._gone:
                    self._ask(f"[{place}/{len(names)}]", self._memory.get(name))
        except Quit:
            pass
        told = ", ".join(f"{count} {deed}" for deed, count in self._done.items()) or "nothing done"
        left = found.total - sum(self._done.values())
        rest = f"; {counted(left, 'memory')} left to review" if left > 0 else ""
        back = "; `milepost undo` takes back the last" if set(self._done) - {"skipped"} else ""
        return View(dict(self._done), f"{told}{rest}{back}")

    def _ask(self, place: str, memory: Memory) -> None:
        """Ask until something was done."""
        head = [place, memory.hash, day(memory.created), memory.kind]
        head += [f"[{' '.join(memory.tags)}]"] if memory.tags else []
        head += [f"in {memory.project}"] if memory.project else []
        head += [f"from {memory.source}"] if memory.source != USER else []
        head += [f"({', '.join(memory.marks)})"] if memory.marks else []
        print(f"\n{paint(cleaned(' '.join(head)), 'bold')}\n{cleaned(memory.content)}")
        while True:
            answer = _line(_ASKED).strip().lower()[:1]
            if answer == "q":
                raise Quit
            act = self._answers.get(answer)
            if act is None:
                continue
            try:
                deed = act(memory)
            except MilepostError as problem:
                print(f"milepost: {cleaned(str(problem))}", file=sys.stderr)
                continue
            if deed:
                self._done[deed] += 1
                return

    def _keep(self, memory: Memory) -> str:
        self._memory.update(memory.hash, metadata=_reviewed(memory))
        return "kept"

    def _edit(self, memory: Memory) -> str:
        text = _edited(memory.content)
        if text == memory.content:
            print("the text is as it was")
            return ""
        self._memory.update(memory.hash, content=text, metadata=_reviewed(memory))
        return "edited"

    def _drop(self, memory: Memory) -> str:
        self._memory.delete(memory.hash)
        return "dropped"

    def _merge(self, memory: Memory) -> str:
        """Replace a memory and another by a text that says what both say."""
        other = self._other(memory)
        if other is None:
            return ""
        text = _edited(f"{memory.content}\n{other.content}")
        if text in (memory.content, other.content):
            raise InvalidInput("the merged text is that of one of them; drop the other instead.")
        tags = list(dict.fromkeys([*memory.tags, *other.tags]))
        fields: dict[str, Any] = {"content": text, "kind": memory.kind, "tags": tags}
        fields |= {"metadata": _reviewed(memory), "project": memory.project or EVERYWHERE}
        fields |= {"session": memory.session, "author": memory.author}
        # One call, and so one transaction and one deed.
        both = [fields | {"supersedes": each.full_hash} for each in (memory, other)]
        self._memory.store_batch(both)
        self._gone.add(other.hash)
        return "merged"

    def _other(self, memory: Memory) -> Memory | None:
        near = self._memory.similar(memory.hash, limit=_NEAR).memories
        for number, each in enumerate(near, 1):
            print(f"  {number}  {each}")
        chosen = _line("merge with which: a number, a hash, or nothing to go back? ").strip()
        if not chosen:
            return None
        is_number = chosen.isdecimal() and 1 <= int(chosen) <= len(near)
        other = self._memory.get(near[int(chosen) - 1].hash if is_number else chosen)
        if other.full_hash == memory.full_hash:
            raise InvalidInput("that is the memory itself.")
        return other


def _reviewed(memory: Memory) -> dict[str, Any]:
    from datetime import UTC, datetime

    return {**memory.metadata, REVIEWED: datetime.now(UTC).date().isoformat()}


def _line(question: str) -> str:
    """Return a line that is typed; the end of the input ends the walk."""
    print(question, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        print()
        raise Quit
    return line.removesuffix("\n")


def _edited(text: str) -> str:
    """Return a text as the user makes it: in an editor, else typed anew line by line."""
    command = editor()
    changed = _in_editor(command, text) if command else _typed(text)
    return changed.strip() or text


def _in_editor(command: str, text: str) -> str:
    with TemporaryDirectory(prefix="milepost-") as folder:  # of this user alone
        file = Path(folder) / "memory.txt"
        file.write_text(f"{text}\n", "utf-8")
        try:
            subprocess.run([*shlex.split(command), str(file)], check=True)  # noqa: S603 -- the user's
        except (OSError, ValueError, subprocess.CalledProcessError) as problem:
            raise InvalidInput(f"The editor {command} failed: {problem}.") from problem
        return file.read_text("utf-8")


def _typed(text: str) -> str:
    print(f"type the new text, and an empty line to end; at once for this one:\n{cleaned(text)}")
    lines = []
    while line := _line("> "):
        lines.append(line)
    return "\n".join(lines)
