"""What the answer to each operation's documented example costs in tokens: `make docs`.

usage: python bench/answers.py

Every example is run on one store: 24 memories of some 60 tokens (those of `bench/tokens.py`), seven
that the examples ask for, and seven episodes of fixing a login test. Counted is the text that a
model reads, by the estimate that budgets are kept with. Writes `src/milepost/token_costs.py`.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from milepost.app import Milepost, open_memory
from milepost.memory.remember import content_hash
from milepost.opening import settings_for
from milepost.registry import Operation, operations_of
from milepost.render import to_text
from milepost.text.tokens import estimate
from milepost.upkeep.model_text import model_text, note_model_text
from peers import mcp_memory_service as peer

TABLE = Path(__file__).parents[1] / "src" / "milepost" / "token_costs.py"
_HEAD = '''"""What the answer to each operation's example costs in tokens; written by `make docs`.

Measured by `bench/answers.py` on 31 memories of up to 60 tokens and seven episodes.
"""
'''
NOTES = [
    {"content": "We chose PostgreSQL over MySQL because of JSONB", "tags": ["db", "decision"]},
    {"content": "We decided to use passkeys for auth", "tags": ["auth"], "created": "3 days ago"},
    {"content": "Deploys to production wait for the smoke test", "tags": ["ops", "scratch"]},
    {"content": "Cart totals are rounded half up", "project": "shop", "kind": "decision"},
    {"content": "Builds ran on Jenkins", "project": "shop", "created": "2024-03-01"},
    {"content": "total() in src/cart.py adds floats", "project": "shop"},
]
STEPS = [
    {"tool": "bash", "action": "pytest", "observation": "ModuleNotFoundError: x", "success": False},
    {"tool": "bash", "action": "pip install x", "observation": "ok"},
    {"tool": "bash", "action": "pytest", "observation": "3 passed"},
]
EDGES = (
    ("billing-service", "uses", "PostgreSQL", "2026-02-01"),
    ("PostgreSQL", "has", "JSONB", "2026-02-01"),
    ("Ann", "works_at", "Acme", "2026-02-01"),
    ("Ann", "works_at", "Globex", "2026-03-10"),
)
CHANGES = ("add_step", "add_steps", "checkpoint_episode", "complete_episode", "resume_episode")


def fill(memory: Milepost) -> None:
    """Store what the examples ask for, among other things."""
    texts, tags = peer.examples()
    memory.store_batch(
        [{"content": t, "tags": g, "project": "shop"} for t, g in zip(texts, tags, strict=True)]
    )
    logged = {"time": datetime.now(UTC).isoformat(), "level": "error", "process": 4711}
    logged |= {"logger": "milepost.calls", "message": "store_unavailable: The disk is gone."}
    Path("milepost.log").write_text(json.dumps(logged, separators=(",", ":")) + "\n")
    Path("src").mkdir()
    Path("src/cart.py").write_text("def total(rows):\n    return sum(rows)\n")
    memory.store_batch(NOTES)
    Path("src/cart.py").write_text("def total(rows):\n    return sum(map(Decimal, rows))\n")
    memory.notice("s0", [{"role": "user", "text": "From now on always run ruff."}], project="shop")
    for name in ("ended", "ended-too", *CHANGES):
        context = {"language": "python", "domain": "auth"}
        memory.create_episode("fix the flaky login test", context, id=f"ep-{name}")
        memory.add_steps(f"ep-{name}", STEPS)
    memory.complete_episode("ep-ended", "success", "x was missing")
    memory.complete_episode("ep-ended-too", "failure", "the clock was not frozen")
    memory.extract_patterns()
    memory.record_event("action", "ran the tests", outcome="ok", session_id="s1")
    memory.record_commit("8f7d497f", "Round money half to even", session_id="s1")
    memory.create_entity("billing-service", "service")
    memory.create_entity("postgres", "package")
    for source, relation, target, since in EDGES:
        memory.create_relation(source, relation, target, valid_from=since)
    memory.add_observation("billing-service", "retries three times")
    memory.create_entity("Acme Ltd")
    memory.merge_entities("Acme", "Acme Ltd")
    for name in ("build", "laptop"):
        memory.create_key(name)
    memory.erase(author="Nobody", reference="request 17")
    memory.set_hold("2026-17", "a dispute", project="warehouse")
    memory.delete(memory.store("This was a mistake"))
    Path("docs").mkdir()
    Path("docs/guide.md").write_text("# Lighthouse\n\nThe lighthouse was painted red in 1990.\n")
    memory.ingest("docs")
    Path("docs/fees.md").write_text("# Fees\n\nA berth costs twelve euros a night.\n")
    found = memory.search("which database?")
    given = model_text(time.time(), "search", str(found), found, "s0")
    note_model_text(memory, given)
    memory.create_backup()
    memory.measure_recall()
    dead_job(memory, "first")


def run_for(memory: Milepost, operation: Operation) -> str:
    """Return a consolidation that an operation can work on."""
    run = memory.consolidate(dry_run=True).run_id
    return memory.apply_consolidation(run).run_id if operation.name.startswith("undo") else run


def dead_job(memory: Milepost, key: str) -> int:
    """Return the number of a piece of work that was given up."""
    context = memory._context
    context.store.jobs.enqueue(context.space, "example", key, "", 0)
    job = context.store.jobs.claim(["example"], context.clock(), 1)
    assert job is not None
    context.store.jobs.fail(job.id, job.claim, "ValueError: no luck", None)
    return job.id


def arguments(memory: Milepost, operation: Operation, pattern: str) -> dict[str, Any]:
    """Return those of the example, with a memory, an episode and a pattern that are there."""
    hashes = [content_hash(str(note["content"]))[:8] for note in NOTES]
    real = {
        "hash": hashes[0],
        "hashes": hashes[3:5],
        "episode": f"ep-{operation.name}" if operation.name in CHANGES else "ep-ended",
        "other": "ep-ended-too",
        "pattern": pattern,
        "patterns": [pattern],
        "conflict": _conflict(memory),
    }
    return {name: real.get(name, value) for name, value in operation.example.items()}


def _conflict(memory: Milepost) -> str:
    disputes = memory.conflicts()
    return disputes[0].id if disputes else ""


def costs() -> dict[str, int]:
    """Return the tokens of each answer; who writes comes last, and deletes after all."""
    operations = operations_of(Milepost)

    def turn(o: Operation) -> tuple[bool, bool, bool]:
        tried = o.example.get("dry_run", False)
        return not o.spec.read_only, o.spec.destructive and not tried, o.name == "undo"

    found = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        subprocess.run(["git", "init", "-q", "-b", "main", "."], check=True)
        with open_memory(settings_for(Path(folder, "m.db"), project="shop")) as memory:
            fill(memory)
            pattern = memory.list_patterns(kind="recovery").patterns[0].id
            for operation in sorted(operations.values(), key=turn):
                given = arguments(memory, operation, pattern)
                if operation.takes("number"):
                    given["number"] = dead_job(memory, operation.name)
                if operation.takes("run_id"):
                    given["run_id"] = run_for(memory, operation)
                answer = operation.call(memory, given)
                rows = list(answer) if isinstance(answer, Iterator) else answer
                found[operation.name] = estimate(to_text(rows))
    return dict(sorted(found.items()))


def main() -> None:
    """Measure, and write the table."""
    rows = [f'    "{name}": {tokens},' for name, tokens in costs().items()]
    TABLE.write_text("\n".join((_HEAD, "TOKENS = {", *rows, "}", "")), "utf-8")


if __name__ == "__main__":
    main()
