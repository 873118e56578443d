"""Bring the forms of an English word to one stem: plurals, tenses, adverbs, a few derivations."""

import re

# Forms that no rule gives away, and words that look like forms and are none.
_FORMS = {
    form: word
    for word, forms in {
        "agre": "agreed",
        "alias": "alias",
        "atlas": "atlas",
        "becom": "became",
        "begin": "began begun",
        "bias": "bias",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "bus": "bus buses bused busing",
        "buy": "bought",
        "canva": "canvas canvases",
        "catch": "caught",
        "child": "children",
        "choos": "chose chosen",
        "cli": "clis",
        "come": "came",
        "criterion": "criteria criterion",
        "die": "dying",
        "disagre": "disagreed",
        "draw": "drew drawn",
        "drink": "drank drunk",
        "drive": "drove driven",
        "early": "early",
        "eat": "ate eaten",
        "embed": "embed",
        "evening": "evening evenings",
        "fall": "fell fallen",
        "famili": "family families",
        "fly": "flew flown",
        "foot": "feet",
        "forget": "forgot forgotten",
        "formation": "formation formations",
        "free": "freed",
        "freez": "froze frozen",
        "gas": "gas gases",
        "get": "got gotten",
        "give": "gave given",
        "go": "goes gone went",
        "grow": "grew grown",
        "guarante": "guaranteed",
        "habitat": "habitat habitats",
        "hide": "hid hidden",
        "hold": "held",
        "index": "indices",
        "keep": "kept",
        "know": "knew known",
        "lie": "lying",
        "lose": "lost",
        "make": "made",
        "matrix": "matrices",
        "meet": "met",
        "mouse": "mice",
        "news": "news",
        "outing": "outing outings",
        "paste": "paste pastes pasted pasting",
        "pay": "paid",
        "plus": "plus pluses",
        "quiz": "quizzes",
        "ride": "rode ridden",
        "run": "ran",
        "say": "said",
        "sell": "sold",
        "send": "sent",
        "sing": "sang sung",
        "ski": "skis",
        "sleep": "slept",
        "speak": "spoke spoken",
        "spend": "spent",
        "stand": "stood",
        "steal": "stole stolen",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "throw": "threw thrown",
        "tie": "tying",
        "tooth": "teeth",
        "understand": "understood",
        "vertex": "vertices",
        "wake": "woke woken",
        "wear": "wore worn",
        "win": "won",
        "woman": "women",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}

# Words in -u and words of two letters whose plural is told from such words as "bus" and "its".
_IN_U = frozenset(
    "menu submenu gpu cpu vcpu tpu npu mcu sku mtu emu gnu guru haiku sudoku tutu caribou bayou "
    "plateau bureau tableau milieu flu".split()
)
_OF_TWO = frozenset(
    "ad ai bf cd cv db dj dm ep fk gb gf hr id ip kb kg lb mb mp op pc pj pk pm pr tb tv ui vc vm "
    "vp".split()
)

# What is longer is no word.
_WORD_MAX = 40
_VOWELS = frozenset("aeiouy")
_SHORT = re.compile(r"y?[^aeiouy]*[aeiouy][^aeiouywx]")
_SYLLABLE = re.compile(r"[aeiou]+[^aeiou]+")
_BEFORE_LY = frozenset("cdeghkmnrt")


def english_stem(word: str) -> str:
    """Return the stem of a lower-case word of ASCII letters."""
    if not 2 < len(word) <= _WORD_MAX:
        return word
    known = _FORMS.get(word)
    if known is not None:
        return known
    word = _without_tense(_singular(word))
    return _without_end(_underived(word) if len(word) > 5 else word)


def _singular(word: str) -> str:
    if word[-1] != "s" or word[-2] == "s":
        return word
    if len(word) == 3:
        return word[:-1] if word[:-1] in _OF_TWO else word
    if word.endswith("ies"):
        return _in_y(word)
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word[-2] == "u":
        return word[:-1] if word[:-1] in _IN_U else word
    if word[-2] == "i":
        if word.endswith("sis") and len(word) > 5:
            return word[:-2]
        return word if _VOWELS.isdisjoint(word[:-2]) else word[:-1]
    return word[:-1]


def _in_y(word: str) -> str:
    """Return what a word in -ies or -ied comes from: die, try, librari."""
    if len(word) == 4:
        return word[:-1]
    return word[:-3] + "y" if len(word) == 5 else word[:-2]


def _without_tense(word: str) -> str:
    if word.endswith("ied"):
        return _in_y(word) if len(word) > 3 else word
    if word.endswith("eed"):
        return word
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 1 and not _VOWELS.isdisjoint(root):
            return _present(root)
    return word


def _present(root: str) -> str:
    """Return the verb whose -ing or -ed was taken off: stop(p), hop(e)."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" and root[-1] not in _VOWELS:
        return root[:-1]
    return root + "e" if _SHORT.fullmatch(root) else root


def _underived(word: str) -> str:
    if word.endswith("ly"):
        word = _without_ly(word)
    for suffix in ("ation", "ate", "at"):
        if word.endswith(suffix) and _long(word[: -len(suffix)]):
            return word[: -len(suffix)]
    if word.endswith("ation") and not _VOWELS.isdisjoint(word[:-5]):
        return word[:-3]
    return word


def _without_ly(word: str) -> str:
    if word.endswith("ily"):
        return word[:-2]
    if word.endswith("bly"):
        return word[:-1]
    if word.endswith("ically"):
        return word[:-4]
    if word.endswith("ally") or word[-3] in _BEFORE_LY or len(word) > 6:
        return word[:-2]
    return word


def _long(root: str) -> bool:
    return len(_SYLLABLE.findall(root)) > 1


def _without_end(word: str) -> str:
    last = word[-1]
    if last == "e":
        root = word[:-1]
        if _VOWELS.isdisjoint(root):
            return word
        if (root[-1] not in _VOWELS or len(root) > 3) and not _SHORT.fullmatch(root):
            return root[:-1] if len(root) > 4 and root.endswith("ll") else root
    elif last == "y":
        if len(word) > 3 and word[-2] not in _VOWELS:
            return word[:-1] + "i"
    elif last == "l" and len(word) > 4 and word[-2] == "l":
        return word[:-1]
    return word
