"""What session hooks take and tell: time of the whole process, tokens, and whether it helps.

usage: python bench/hooks.py [--sizes 1000 10000 100000] [--runs 15] [--data ../shared/data]
           [--table ../shared/models/o200k_base] [--peer VENV [--model ONNX-FOLDER]]
           [--relevance-only] [--missed]

`python -m milepost hook session-start` is run as a client runs it, in a git repository, on stores
in which a tenth of the memories belong to that repository, cold (no warm process) and warm (a
daemon was started before). The kinds take turns, so that a slow minute slows all of them. Beside
it: the figures published for the system this one follows and, with an environment for it, that
system's own hook on the same memories.

Relevance: of the memories that twelve labelled histories (see `histories.py`) call useful for the
session that starts, how many does the briefing hold? Nothing was chosen by looking at `test`. With
a model for its vectors the peer is asked the same.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import p50_p95, plot_bars, save, table
from corpus import memories, sentences
from histories import SPLITS, History, load, make_repository
from milepost import __version__, connect
from milepost.codec import to_data
from milepost.embedding import open_embedder
from milepost.text.tokens import exact_counter
from peers import mcp_memory_service_hook as peer
from session import Place, Told, children_cpu_ms

PUBLISHED = {"cold_ms": 3400, "tokens_before": 3600, "tokens": 900, "memories": 8}
TARGETS = {"cold_ms_at_10000": 350, "warm_ms_at_10000": 80, "relevance": 0.8, "tokens": 900}
# The repository that sessions start in; the rest of each store is made up.
PROJECT = "parcelo-api"
# The peer gets the memories of this store.
PEER_SIZE = 1_000
# Without a server the peer waits for one, so it is asked seldom.
PEER_SLOW_RUNS = 3
# Hooks other than session-start are measured on the store nearest to this.
EVENTS_SIZE = 10_000
HALF_YEAR_DAYS = 180

ASKING = "Why did we decide that a webhook event keeps its id when it is sent again?"
TELLING = "Rename the local variable in that function to something shorter, please."

Count = Callable[[str], int]
Taken = dict[tuple[Any, ...], list[tuple[float, float]]]


def main() -> None:
    """Measure, print tables and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--data", type=Path, help="real sentences for the stores")
    parser.add_argument("--table", help="the folder with o200k_base.tiktoken")
    parser.add_argument("--peer", type=Path, help=f"an environment with {peer.peer.PACKAGE}")
    parser.add_argument("--model", help="a folder with an ONNX model, to see what the peer finds")
    parser.add_argument("--note", default="", help="what else to say of this run")
    parser.add_argument("--relevance-only", action="store_true", help="measure nothing else")
    parser.add_argument("--missed", action="store_true", help="list what dev histories miss")
    given = parser.parse_args()
    count = exact_counter(given.table)
    relevance = {split: measure_relevance(split, count, given.missed) for split in SPLITS}
    if given.peer and given.model:
        for split in SPLITS:
            relevance[split][peer.peer.PACKAGE] = peer_relevance(split, given.peer, given.model)
    if given.relevance_only:
        return
    figures: dict[str, Any] = {"milepost": __version__, "runs": given.runs, "note": given.note}
    figures |= {"published": PUBLISHED, "targets": TARGETS, "relevance": relevance}
    with tempfile.TemporaryDirectory(prefix="mp-") as folder, ExitStack() as open_until_done:
        places = build(Path(folder), given.sizes, sentences(given.data))
        for place in places.values():
            open_until_done.enter_context(daemon(place))
        rival = None
        if given.peer:
            drafts = list(memories_of(PEER_SIZE, sentences(given.data)))
            rival = open_until_done.enter_context(peer.filled(given.peer, for_peer(drafts)))
        figures |= measure_starts(places, rival, given.runs, count)
        nearest = min(places, key=lambda size: abs(size - EVENTS_SIZE))
        figures[f"events at {nearest}"] = measure_events(places[nearest], given.runs)
    draw(figures)
    print(save("hooks", figures))


def build(folder: Path, sizes: Sequence[int], pool: list[str]) -> dict[int, Place]:
    """Write a store of each size and the repository that sessions start in."""
    history = _history_of(PROJECT)
    root = make_repository(history, folder)
    places = {}
    for size in sizes:
        drafts = list(memories_of(size, pool))
        # Sockets are only put where nobody else can enter.
        (folder / str(size)).mkdir(mode=0o700)
        transcript = write_transcript(folder / str(size) / "transcript.jsonl", history)
        place = Place(folder / str(size) / "m.db", root, transcript, {})
        with connect(place.store) as memory:
            place.hashes.update((short, short) for short in memory.store_batch(drafts))
            memory.search("build the index")
        places[size] = place
    return places


def memories_of(size: int, pool: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the labelled history's memories and then others; a tenth of those are its own too."""
    own = _history_of(PROJECT).drafts()
    yield from own[:size]
    now = datetime.now(UTC)
    kinds = ("note", "note", "decision", "error", "commit", "change", "insight")
    for i, other in enumerate(memories(pool, max(size - len(own), 0))):
        created = now - timedelta(days=1 + (i * 7919) % (HALF_YEAR_DAYS * 24) / 24)
        project = PROJECT if i % 10 == 0 else other["project"]
        yield other | {
            "project": project,
            "kind": kinds[i % len(kinds)],
            "created": created.isoformat(),
        }


def for_peer(drafts: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Arrange memories as the peer stores them; its project is a tag."""
    return [
        {
            "content": draft["content"],
            "tags": [*draft.get("tags", ()), *([draft["project"]] if "project" in draft else ())],
            "memory_type": draft["kind"],
            "created_at": datetime.fromisoformat(draft["created"]).timestamp(),
        }
        for draft in drafts
    ]


@contextmanager
def daemon(place: Place) -> Iterator[None]:
    """Keep the store warm in a process of its own."""
    place.milepost("daemon", "start")
    try:
        yield
    finally:
        place.milepost("daemon", "stop")


def measure_starts(
    places: dict[int, Place], rival: peer.Hook | None, runs: int, count: Count | None
) -> dict[str, Any]:
    """Start sessions in turn: each store cold and warm, the peer in each of its settings."""
    taken: Taken = {}
    told: dict[tuple[Any, ...], str] = {}
    # The first is not timed: it may have to compile.
    briefings = {size: [place.start("off")] for size, place in places.items()}
    for number in range(runs):
        note(taken, ("python -c pass",), _bare_python())
        for size, place in places.items():
            for kind, setting in (("cold", "off"), ("warm", "use")):
                briefings[size].append(place.start(setting))
                note(taken, (size, kind), briefings[size][-1])
        for setting in rival.homes if rival else ():
            if setting == peer.NO_SERVER and number >= PEER_SLOW_RUNS:
                continue
            ran = rival.run(setting, places[min(places)].root)
            note(taken, (setting,), ran)
            told[setting,] = ran.text
    print_times("session-start", taken)
    figures: dict[str, Any] = {"python -c pass": spread(taken["python -c pass",])}
    figures["session-start"] = {
        str(size): {kind: spread(taken[size, kind]) for kind in ("cold", "warm")}
        | price(place, briefings[size][0], count)
        # What was told often and never used sinks, so a later session hears something else.
        | {f"session {2 * runs + 1}": price(place, briefings[size][-1], count)}
        for size, place in places.items()
    }
    if rival:
        figures[peer.peer.PACKAGE] = {
            "version": rival.version,
            "memories": rival.stored,
            "settings": {
                name: spread(taken[name,]) | peer_price(told[name,], count) for name in rival.homes
            },
        }
    report_prices(figures)
    return figures


def price(place: Place, told: Told, count: Count | None) -> dict[str, Any]:
    """Return what a briefing costs and what the same memories whole would have."""
    shown = place.lines_of(told.text)
    figures: dict[str, Any] = {"memories": len(shown)}
    figures |= {"tokens_estimated": told.estimate, "tokens_of_objects_estimated": told.instead_of}
    if count:
        with connect(place.store) as memory:
            whole = [json.dumps(to_data(memory.get(it)), ensure_ascii=False) for it in shown]
        figures |= {"tokens": count(told.text), "tokens_of_objects": sum(map(count, whole))}
    return figures


def peer_price(text: str, count: Count | None) -> dict[str, Any]:
    """Return how many memories the peer's text holds and what all of it costs, without colours."""
    shown = len(re.findall(r"^\d+\. ", text, re.MULTILINE))
    return {"memories": shown} | ({"tokens": count(text)} if count else {})


def report_prices(figures: dict[str, Any]) -> None:
    """Print what the briefings cost."""
    prices = {f"milepost, {size}": row for size, row in figures["session-start"].items()}
    rival = figures.get(peer.peer.PACKAGE, {"settings": {}})
    prices |= {f"peer, {name}": row for name, row in rival["settings"].items()}
    names = ("memories", "tokens", "tokens_estimated", "tokens_of_objects")
    rows = [[name, *(row.get(key, "") for key in names)] for name, row in prices.items()]
    print(table(["briefing", *names], rows))


def measure_events(place: Place, runs: int) -> dict[str, dict[str, Any]]:
    """Run the other hooks in turn, cold and warm."""
    result = {"stdout": "41 passed in 12.1s", "stderr": "", "interrupted": False}
    events: dict[str, tuple[str, dict[str, object]]] = {
        "prompt-submit, asking": ("prompt-submit", {"prompt": ASKING}),
        "prompt-submit, not asking": ("prompt-submit", {"prompt": TELLING}),
        "post-tool-use": (
            "post-tool-use",
            {"tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_response": result},
        ),
        "stop": ("stop", {"stop_hook_active": False}),
        "session-end": ("session-end", {"reason": "exit"}),
    }
    taken: Taken = {}
    told: dict[str, bool] = {}
    for event, given in events.values():
        place.told(event, "off", **given)
    for _ in range(runs):
        for name, (event, given) in events.items():
            for kind, setting in (("cold", "off"), ("warm", "use")):
                ran = place.told(event, setting, **given)
                note(taken, (name, kind), ran)
                told[name] = bool(ran.text)
    print_times("hook", taken)
    return {
        name: {"told": told[name]} | {kind: spread(taken[name, kind]) for kind in ("cold", "warm")}
        for name in events
    }


def measure_relevance(split: str, count: Count | None, show_missed: bool) -> dict[str, Any]:
    """Start a session in each history and see which of the useful memories it is told."""
    rows: dict[str, dict[str, Any]] = {}
    floors: dict[str, list[float]] = {}
    for history in load(split):
        told, lines = briefed(history)
        rows[history.project] = {
            "share": round(history.share_in(set(lines)), 3),
            "share_of_words": round(history.words_in(lines), 3),
            "useful": len(history.wanted),
            "told": len(lines),
            "of": len(history.memories),
            "tokens": count(told.text) if count else told.estimate,
        }
        for name, share in history.floors(len(lines)).items():
            floors.setdefault(name, []).append(share)
        if show_missed and split == "dev":
            print_missed(history, set(lines))
    print(table([split, *next(iter(rows.values()))], [[k, *r.values()] for k, r in rows.items()]))
    means = {"milepost": mean([row["share"] for row in rows.values()])}
    means["of their words"] = mean([row["share_of_words"] for row in rows.values()])
    below = {name: mean(shares) for name, shares in floors.items()}
    print(table([f"{split}, share of the useful", ""], (means | below).items()))
    return {
        "mean": means["milepost"],
        "mean_of_words": means["of their words"],
        "floors": below,
        "histories": rows,
    }


def briefed(history: History) -> tuple[Told, dict[str, str]]:
    """Start a session in a history; return what it is told, and that by memory."""
    with tempfile.TemporaryDirectory(prefix="mp-") as folder:
        place = settle(history, Path(folder))
        told = place.start("off")
    return told, place.lines_of(told.text)


def peer_relevance(split: str, venv: Path, model: str) -> dict[str, float]:
    """Return the mean share of the useful memories that the peer's hook tells, by setting."""
    embedder = open_embedder(f"onnx:{model}")
    shares: dict[str, list[float]] = {}
    for history in load(split):
        stored = peer.filled(
            venv, for_peer(history.drafts()), lambda text: embedder.embed([text])[0].tolist()
        )
        with tempfile.TemporaryDirectory(prefix="mp-") as folder, stored as hook:
            root = make_repository(history, Path(folder))
            for setting in (peer.WITH_CODE, peer.WITHOUT_CODE):
                ran = hook.run(setting, root)
                shown = {one["id"] for one in history.memories if ran.shows(one["content"])}
                shares.setdefault(setting, []).append(history.share_in(shown))
    means = {setting: mean(found) for setting, found in shares.items()}
    print(table([f"peer, {split}", "share"], means.items()))
    return means


def settle(history: History, folder: Path) -> Place:
    """Make a history's repository and store, and keep under which hash each memory went."""
    root = make_repository(history, folder)
    place = Place(folder / "m.db", root, folder / "transcript.jsonl", {})
    ids = (memory["id"] for memory in history.memories)
    with connect(place.store) as memory:
        place.hashes.update(zip(memory.store_batch(history.drafts()), ids, strict=True))
    return place


def print_missed(history: History, shown: set[str]) -> None:
    """Print what was wanted and not told, and what was told and not wanted."""
    texts = {memory["id"]: memory["content"] for memory in history.memories}
    asked = {name for wanted in history.wanted for name in wanted.ids}
    for wanted in history.wanted:
        if not shown.intersection(wanted.ids):
            print(f"- {history.project} missed ({wanted.why}): {texts[wanted.ids[0]][:110]}")
    for name in sorted(shown - asked):
        print(f"+ {history.project} told instead: {texts[name][:110]}")


def write_transcript(path: Path, history: History) -> Path:
    """Write a conversation of a client's form about the history's memories."""
    lines = []
    for number, memory in enumerate(history.memories[:60]):
        role = "assistant" if number % 2 else "user"
        said = [{"type": "text", "text": memory["content"]}] if number % 2 else memory["content"]
        lines.append(json.dumps({"type": role, "message": {"role": role, "content": said}}))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def draw(figures: dict[str, Any]) -> None:
    """Draw how long the start of a session takes."""
    bars = {
        f"{kind}\n{_short(int(size))}": row[kind]["p50_ms"]
        for kind in ("cold", "warm")
        for size, row in figures["session-start"].items()
    }
    rival = figures.get(peer.peer.PACKAGE)
    if rival:
        stored = _short(rival["memories"])
        for name, setting in (
            ("as it\nships", peer.WITH_CODE),
            ("server\nonly", peer.WITHOUT_CODE),
        ):
            bars[f"peer,\n{name}\n{stored}"] = rival["settings"][setting]["p50_ms"]
    bars["pub-\nlished,\ncold"] = PUBLISHED["cold_ms"]
    groups = {name: {"whole process, median": ms} for name, ms in bars.items()}
    plot_bars("hooks", "Start of a session by memories stored", groups, "ms")


def mean(shares: Sequence[float]) -> float:
    """Return the mean as it is reported."""
    return round(sum(shares) / len(shares), 3)


def note(taken: Taken, name: tuple[Any, ...], ran: Told | peer.Ran) -> None:
    """Add a run to the others of its kind."""
    taken.setdefault(name, []).append((ran.ms, ran.cpu_ms))


def spread(runs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return the median and the 95th percentile, and the median of the time computed."""
    middle, high = p50_p95([ms for ms, _ in runs])
    computed, _ = p50_p95([cpu_ms for _, cpu_ms in runs])
    figures = {"p50_ms": middle, "p95_ms": high, "cpu_p50_ms": computed}
    return {name: round(ms, 1) for name, ms in figures.items()} | {"runs": len(runs)}


def print_times(title: str, taken: Taken) -> None:
    """Print how long each kind of run took."""
    rows = [[", ".join(map(str, name)), *spread(runs).values()] for name, runs in taken.items()]
    print(table([title, "p50 ms", "p95 ms", "p50 ms computed", "runs"], rows))


def _short(count: int) -> str:
    return f"{count // 1000}k" if count % 1000 == 0 else str(count)


def _history_of(project: str) -> History:
    return next(history for history in load("dev") if history.project == project)


def _bare_python() -> Told:
    started, worked = time.perf_counter(), children_cpu_ms()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return Told((time.perf_counter() - started) * 1e3, children_cpu_ms() - worked, "", "")


if __name__ == "__main__":
    main()
