"""Sentences of ordinary words, no two of which have many in common."""

from __future__ import annotations

from random import Random

_WORDS = (
    "apple basket bread bridge brother building candle carpet castle chair cheese church circle "
    "clock cloud coffee copper corner cotton cousin curtain dinner doctor dragon drawer dream "
    "engine family farmer feather fence finger flower forest garden glass grandmother guitar "
    "hammer harbour honey horse hospital island jacket kitchen ladder lamp leather letter library "
    "machine market meadow medicine milk mirror money monkey morning mountain museum needle "
    "neighbour newspaper ocean office onion orange painter paper pencil piano picture pillow "
    "planet pocket potato prison queen rabbit radio railway river rocket salt school scissors "
    "shadow sheep shirt silver sister soldier spoon station stone storm sugar summer sweater "
    "table teacher telephone theatre ticket tiger tobacco tower train tree uncle umbrella valley "
    "village violin wagon wallet water weather wheel whistle window winter wolf wood wool yard"
).split()
_VERBS = "bought carried found lost painted repaired sold wanted washed watched".split()


def ordinary_texts(count: int) -> list[str]:
    """Return so many sentences, the same each time."""
    chance = Random(7)
    texts = []
    for _ in range(count):
        a, b, c, d, e, f, g, h = chance.sample(_WORDS, 8)
        first, then = chance.sample(_VERBS, 2)
        texts.append(
            f"The {a} {first} a {b} with the {c} near the {d}, and later the {e} {then} a {f} "
            f"with the {g} near the {h}"
        )
    return texts
