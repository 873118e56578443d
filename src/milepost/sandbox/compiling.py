"""The process that compiles the guest ahead of time."""

from __future__ import annotations

import os
from pathlib import Path

from milepost.sandbox.confinement import die_with_parent
from milepost.sandbox.engine import compile_component


def main(parent: str, source: str, target: str) -> None:
    """Compile one file into another, behind whatever else the machine does."""
    die_with_parent(int(parent))
    os.nice(5)
    compile_component(Path(source), Path(target))
