"""How much a word tells, in this store and in the language."""

from math import log

from milepost.ranking.candidates import Corpus, Probe, Word
from milepost.text.stems import stem

# A store of a few memories says little about which words are rare: so many imagined memories,
# with words as frequent as in the language, are counted in.
IMAGINED = 20.0
_COMMONEST = 0.3


def language_share(rank: int) -> float:
    """Return about which share of texts hold a word of a frequency rank."""
    return min(_COMMONEST, 2.5 / (rank + 8))


def word_weight(word: Word, corpus: Corpus) -> float:
    """Return the inverse document frequency of a word, as in BM25."""
    share = language_share(word.rank)
    holders = corpus.frequencies.get(word.term, 0) + IMAGINED * share
    return log(1 + (corpus.documents + IMAGINED - holders + 0.5) / (holders + 0.5))


def term_weights(probe: Probe, corpus: Corpus) -> dict[str, float]:
    """Return the weights of a question's terms, by which passages are chosen."""
    return {stem(word.text): word_weight(word, corpus) for word in probe.words}


def word_weights(probe: Probe, corpus: Corpus) -> list[float]:
    """Return the weight of each word of a question."""
    return [word_weight(word, corpus) for word in probe.words]
