"""The tokens that are documented for each answer are those that it has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from milepost.token_costs import TOKENS
from support import PATIENCE_S

BENCH = Path(__file__).parents[2] / "bench"
MEASURE = "import json, answers; print(json.dumps(answers.costs()))"


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_an_answer_costs_what_is_documented() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        cwd=BENCH,
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    measured = json.loads(done.stdout)

    # Hashes and durations have more or fewer tokens from run to run.
    off = {n: (TOKENS[n], m) for n, m in measured.items() if abs(TOKENS[n] - m) > 6 + 0.1 * m}
    assert off == {}, "run `make docs`"
