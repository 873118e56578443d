"""Where an operation stands among the commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.registry import Operation

# The operations of these categories are what the program is about; others stand in groups.
TOP_LEVEL = ("memory", "code", "admin")


def command_path(operation: Operation, name: str | None = None) -> tuple[str, ...]:
    """Return the words of a command: create_episode of the category episode is `episode create`.

    The category is left out of the name, unless nothing would be left of that.
    """
    words = (name or operation.name).split("_")
    category = operation.spec.category
    if category in TOP_LEVEL:
        return ("-".join(words),)
    own = {category, f"{category}s", f"{category.removesuffix('y')}ies"}
    rest = [word for word in words if word not in own]
    return (category, "-".join(rest or words))
