"""Whether two texts say the same in other words."""

from milepost.text.sameness import is_the_same, said


def restates(one: str, other: str, likeness: float) -> bool:
    """Tell whether two texts of some likeness say the same, neither more nor less."""
    del likeness
    return is_the_same(said(one), said(other))
