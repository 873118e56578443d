"""What an agent claims of its work, which counts for less than what was seen."""

from __future__ import annotations

from milepost.text.expressions import lazy

_BOAST = lazy(
    r"(?i)\b(?:done|works?|working|fixed|finished|complete[ds]?|pass(?:es|ed|ing)?|success\w*"
    r"|upgraded|all good|all green|ready|everything|fertig|läuft|erledigt|behoben|funktioniert"
    r"|terminé|réglé|fonctionne|marche|listo|hecho|funciona|arreglado|pronto|funziona|fatto)\b"
)
_TROUBLE = lazy(
    r"(?i)\b(?:not|no|never|cannot|un\w+ed|fail\w*|error\w*|broken?|breaks?|red|wrong|missing|still"
    r"|because|but|except|however|left|problem\w*|gave up|give up|next|blocked|nicht|kein\w*|noch"
    r"|fehl\w*|aber|weil|pas|erreur|échou\w*|mais|manque|falla\w*|pero|falta\w*|porque|ma|manca)\b"
    r"|n['’]t\b"
)


def boasts(text: str) -> bool:
    """Whether a text says that all is well, and nothing of trouble."""
    return _BOAST.search(text) is not None and _TROUBLE.search(text) is None
