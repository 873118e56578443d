"""A memory with something of everything in it."""

from __future__ import annotations

from milepost.app import Milepost

MERGED = "The cache of the shop is kept in Redis for ten minutes"


def fill(memory: Milepost) -> dict[str, str]:
    """Store something of everything; return the names of what is asked for later."""
    memory.store("Totals were off by a cent: 0.1 + 0.2", tags=["money", "error"], session="monday")
    old = memory.store("Money is rounded half-up", project="shop", session="monday")
    new = memory.store("Money is rounded half-even", project="shop", supersedes=old)
    gone = memory.store("The harbour master keeps the key of the north gate", tags=["harbour"])
    memory.delete(gone)
    memory.update(new, tags=["tax"])
    memory.store_batch([MERGED, f"{MERGED}.", f"{MERGED}!"])
    run = memory.consolidate(days_back=1000)
    memory.create_entity("PostgreSQL", "tool")
    memory.create_relation("Ines", "works_at", "Acme")
    memory.create_relation("Ines", "works_at", "Beta")
    memory.add_observation("Ines", "has the key of the cellar")
    memory.create_relation("api", "uses", "postgres")
    memory.store("The api depends on postgres and Ines maintains it")
    merged = memory.merge_entities("PostgreSQL", "postgres")
    for number in range(4):
        episode = memory.create_episode(f"mend the login test {number}", {"domain": "web"}, "test")
        memory.add_step(episode, "bash", "pytest", observation="1 failed", success=False)
        memory.add_step(episode, "edit", "freeze the clock", success=True)
        memory.complete_episode(episode, "success", "the clock was not frozen")
    memory.extract_patterns()
    memory.record_event("deploy", "version 3 went live", session_id="monday")
    memory.schedule_consolidation("weekly")
    return {"gone": gone, "old": old, "merge": str(merged.id), "run": run.run_id}


def told(memory: Milepost) -> dict[str, object]:
    """Return what a memory answers, without what is named anew in each store."""
    asked = ("rounding of money", "who keeps the key?", "cache of the shop", "api and postgres")
    return {
        "memories": sorted(m.hash for m in memory.list_memories(limit=100)),
        "found": [[m.hash for m in memory.search(question).memories] for question in asked],
        "tags": memory.tags(),
        "episodes": str(memory.list_episodes()),
        "patterns": str(memory.list_patterns()),
        "events": str(memory.recall_events(session_id="monday")),
        "graph": str(memory.neighbours("Ines", depth=2)),
        "schedule": str(memory.consolidation_status()),
    }
