"""A project's history goes in, questions are asked, and the price of each answer is shown."""

import json
import tempfile
import time
from pathlib import Path

from milepost import Milepost, connect
from milepost.codec import to_data
from milepost.memory.values import CompactSearchResult
from milepost.text.tokens import estimate

HISTORY = [
    ("3 months ago", "decision", "db", "We chose PostgreSQL as our database, over MySQL, because of JSONB and partial indexes."),
    ("3 months ago", "note", "infra", "Staging runs on eu-west-1, production on eu-central-1; both use the same Terraform module."),
    ("11 weeks ago", "error", "db", "Migration 0042 deadlocked in staging: two workers ran it at once. Fixed with an advisory lock in migrate.py."),
    ("10 weeks ago", "decision", "auth", "Auth tokens expire after 15 minutes; refresh tokens rotate on every use. Ana reviewed it."),
    ("9 weeks ago", "preference", "style", "Prefer plain functions over classes in the billing package; reviewers will ask for it."),
    ("8 weeks ago", "error", "ci", "CI failed with ECONNREFUSED 127.0.0.1:6379: the Redis service must be declared in the job, not only in compose."),
    ("8 weeks ago", "note", "api", "GET /invoices is paginated by cursor; offset pagination timed out beyond 200k rows."),
    ("7 weeks ago", "decision", "queue", "We replaced Celery with a jobs table and SELECT ... FOR UPDATE SKIP LOCKED; one moving part fewer."),
    ("6 weeks ago", "error", "billing", "Rounding bug: invoice totals were off by one cent because parse_amount() in src/billing/money.py used float."),
    ("6 weeks ago", "note", "people", "Jonas owns the billing service, Priya the mobile app, Ana security reviews."),
    ("5 weeks ago", "decision", "api", "Public API errors use problem+json with a stable code; the text may change, the code may not."),
    ("4 weeks ago", "error", "deploy", "Deploy of v2.3.1 rolled back: the health check hit /healthz before migrations finished. Now it waits for /readyz."),
    ("3 weeks ago", "preference", "style", "Commit messages are imperative and mention the ticket, for example BIL-311."),
    ("2 weeks ago", "note", "perf", "The invoice list query dropped from 900 ms to 35 ms after the index on (tenant_id, created_at)."),
    ("9 days ago", "decision", "auth", "Service-to-service calls use mTLS; API keys remain for customers only."),
    ("6 days ago", "error", "mobile", "Android build broke on Gradle 9: pin the Kotlin plugin to 2.1 until the maps SDK catches up."),
    ("3 days ago", "decision", "deploy", "We deploy on Tuesdays and Thursdays before noon, never on Fridays."),
    ("yesterday", "error", "auth", "Login loop in Safari: the refresh cookie lacked SameSite=None; Secure. Fixed in auth/cookies.py."),
    ("1 hours ago", "note", "roadmap", "Next up: export invoices as PDF/A, then usage based pricing."),
]  # fmt: skip

QUESTIONS = [
    "which database did we choose and why?",
    "have we seen ECONNREFUSED before?",
    "who should review a change to billing?",
    "parse_amount",
    "what is our favourite pizza topping?",
]


def main() -> None:
    """Store, search, recall and count."""
    with (
        tempfile.TemporaryDirectory() as folder,
        connect(Path(folder) / "demo.db", project="shop") as memory,
    ):
        fill(memory)
        for question in QUESTIONS:
            ask(memory, question, memory.search(question, limit=3))
        question = "what broke in the last two weeks?"
        ask(memory, question, memory.recall(question, limit=3))
        question = "everything about auth, in at most 60 tokens"
        ask(memory, question, memory.search("auth", limit=10, budget=60))
        correct(memory)
        print(f"\nhealth()  {memory.health()!r}")


def fill(memory: Milepost) -> None:
    """Store the history in one transaction."""
    items = [
        {"content": text, "created": when, "kind": kind, "tags": [kind, tag]}
        for when, kind, tag, text in HISTORY
    ]
    before = time.perf_counter()
    memory.store_batch(items)
    print(f"stored {len(items)} memories in {(time.perf_counter() - before) * 1e3:.0f} ms")


def ask(memory: Milepost, question: str, result: CompactSearchResult) -> None:
    """Show an answer as a model reads it, and what it costs beside full JSON."""
    text = str(result)
    shown = estimate(text)
    full = [memory.get(found.hash) for found in result.memories]
    json_tokens = estimate(json.dumps([to_data(item) for item in full], indent=2))
    print(f"\n> {question}\n{text}")
    print(f"  about {shown} tokens; as full JSON about {json_tokens}")


def correct(memory: Milepost) -> None:
    """Replace a fact: the old one is hidden, not lost."""
    found = memory.search("on which days do we deploy?", limit=1).memories[0]
    memory.update(
        found.hash, content="We deploy every morning; feature flags hide unfinished work."
    )
    print("\n> on which days do we deploy? (after the rule was changed)")
    print(memory.search("on which days do we deploy?", limit=2))
    print("> and what did we say before?")
    print(memory.search("on which days do we deploy?", limit=2, as_of="yesterday"))


if __name__ == "__main__":
    main()
