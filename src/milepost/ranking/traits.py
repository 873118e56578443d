"""A cheap sign in a memory's text: whether it asks."""

_ASKS, _ENDS_ASKING = 1, 2


def traits(text: str) -> int:
    """Return 2 for a text that ends with a question, 1 for one that asks on the way, else 0."""
    if text.rstrip().endswith(("?", "？")):
        return _ENDS_ASKING
    return _ASKS if "?" in text or "？" in text else 0
