"""What a command is run for: the same is done by other commands in other projects."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.commands import Command

# By the words of a command's name; the first that fits counts.
_PURPOSES = {
    "end-to-end tests": r"\b(?:e2e|cypress|playwright test|end-to-end)\b",
    "tests": r"\b(?:\w*tests?|pytest|vitest|jest|mocha|rspec|specs?|phpunit|tox|nox|nextest)\b",
    "type check": r"\b(?:mypy|pyright|tsc|typecheck|type-check|types|phpstan|sorbet|dialyzer)\b",
    "lint": r"\b(?:\w*lint\w*|ruff|flake8|clippy|rubocop|vet|shellcheck|check|checkstyle|detekt)\b",
    "format": r"\b(?:fmt|format|prettier|black|gofmt|rustfmt)\b",
    "migration": r"\b(?:migrat\w*|makemigrations|alembic|flyway|liquibase|db:\w+)\b",
    "deployment": r"\b(?:deploy\w*|release|publish|rollout|terraform apply|helm upgrade)\b",
    "build": r"\b(?:build|compile|package|assemble|bundle|docker build|dbt)\b",
    "installation": r"\b(?:install|sync|ci|add|restore|bootstrap)\b",
    "start": r"\b(?:dev|serve|start|runserver|run|up|worker|celery|uvicorn|gunicorn|preview)\b",
}
# What only prepares work, or is done in every project alike, needs no telling.
_DULL = re.compile(
    r"^(?:git|gh|rm|mv|cp|mkdir|touch|chmod|kill|pkill|curl|echo|ls|cat|docker (?:ps|logs))\b"
)
_AD_HOC = re.compile(r" -[ce]$")


def purpose_of(command: Command) -> str:
    """Return what a command is for, or nothing where that cannot be told."""
    name = command.name.replace(".sh", "").replace("_", "-")
    if not name or _DULL.match(name) or _AD_HOC.search(name) or name.startswith("edit "):
        return ""
    named = (purpose for purpose, words in _PURPOSES.items() if re.search(words, name))
    return next(named, "")
