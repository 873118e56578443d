"""Learning from episodes: two attempts fail, two succeed, and the next one is told what works.

usage: python examples/learning.py
"""

import tempfile
from pathlib import Path

from milepost import connect
from milepost.app import Operations

SLEPT = [
    ("bash", "pytest tests/test_login.py", "TimeoutError: no event within 5 s", False),
    ("edit", "tests/test_login.py: sleep(5) became sleep(10)", "", True),
    ("bash", "pytest tests/test_login.py", "TimeoutError: no event within 5 s", False),
]
FROZE = [
    ("bash", "pytest tests/test_{page}.py", "TimeoutError: no event within 5 s", False),
    ("edit", "tests/conftest.py: freeze the clock in a fixture", "", True),
    ("bash", "pytest tests/test_{page}.py", "12 passed", True),
]
CONTEXT = {"language": "python", "domain": "auth"}


def attempt(
    memory: Operations,
    page: str,
    steps: list[tuple[str, str, str, bool]],
    outcome: str,
    verdict: str,
) -> None:
    """Write one attempt down, as an agent does while it works."""
    task = memory.create_episode(f"make the {page} test stable", CONTEXT, task_type="debugging")
    for tool, action, observation, success in steps:
        done = action.format(page=page)
        memory.add_step(task, tool, done, observation=observation or None, success=success)
    print(memory.complete_episode(task, outcome, verdict), end="\n\n")


def main() -> None:
    """Try, fail, try again, succeed, and ask before the next attempt."""
    with (
        tempfile.TemporaryDirectory() as folder,
        connect(Path(folder, "m.db"), project="shop") as memory,
    ):
        attempt(memory, "login", SLEPT, "failure", "a longer sleep is as flaky as a short one")
        attempt(memory, "login", SLEPT, "failure", "sleeping longer did not help")
        attempt(memory, "login", FROZE, "success", "the clock was not frozen")
        attempt(memory, "signup", FROZE, "success", "the same fixture")

        memory.extract_patterns()  # now, for the example; else it happens in the background
        print("recommend('make the checkout test stable')")
        print(memory.recommend("make the checkout test stable", CONTEXT))
        print("\nsimilar_episodes('a test that times out', limit=2)")
        print(memory.similar_episodes("a test that times out", limit=2))


if __name__ == "__main__":
    main()
