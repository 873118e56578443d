"""Which words are akin, and how common words are."""

from milepost.embedding.static import StaticEmbedder, StaticLexicon
from milepost.ranking.keys import term_key
from milepost.text.words import stem

LEXICON = StaticLexicon(StaticEmbedder())


def kin(word: str) -> dict[int, float]:
    return dict(reversed(LEXICON.related(word)))


def term(word: str) -> int:
    return term_key(stem(word))


def test_words_near_in_meaning_are_akin() -> None:
    assert kin("siblings")[term("brother")] > 0.5
    assert term("harbour") not in kin("siblings")


def test_the_words_of_software_work_are_known() -> None:
    assert kin("database")[term("PostgreSQL".lower())] > 0.5
    assert kin("postgresql")[term("database")] > 0.5
    assert kin("login")[term("authentication")] > kin("auth")[term("jwt")]


def test_an_unknown_word_has_no_kin() -> None:
    assert LEXICON.related("xyzzyplugh") == []


def test_common_words_rank_before_rare_ones() -> None:
    assert LEXICON.rank("time") < LEXICON.rank("harbour") < LEXICON.rank("xyzzyplugh")


def test_of_letters_thrown_together_nothing_is_known_and_of_words_in_pieces_something() -> None:
    assert not any(map(LEXICON.knows, ["zzzzqqq", "qwxqkzj", "nofuda"]))
    known = ["tabs", "postgresql", "k8s", "kubernets", "plugni", "数据库", "база"]
    assert [word for word in known if not LEXICON.knows(word)] == []
