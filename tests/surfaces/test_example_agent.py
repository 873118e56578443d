"""The example of an agent that writes code runs as it is and shows what it promises."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from support import PATIENCE_S

EXAMPLE = Path(__file__).parents[2] / "examples" / "code_execution_agent.py"


def test_the_example_resumes_and_shows_what_reached_the_model() -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLE)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert (told.returncode, told.stderr) == (0, "")
    assert "200 results are in triage.jsonl" in told.stdout
    assert "420 incidents in 8 parts" in told.stdout
    assert "Estimated tokens that reach the model" in told.stdout
    ours, theirs = (
        int(found.replace(",", "")) for found in re.findall(r"together +([\d,]+)", told.stdout)
    )
    assert theirs > 20 * ours


def test_the_example_is_short_enough_to_read() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 150
