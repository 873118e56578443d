"""WordPiece gives the pieces that BERT's own tokenizer gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.embedding.static import FOLDER
from milepost.embedding.wordpiece import WORD_CHARACTERS_MAX, WordPiece

VOCABULARY = (FOLDER / "vocab.txt").read_text(encoding="utf-8").split("\n")
WORDPIECE = WordPiece(VOCABULARY)

# Taken from the tokenizers library with the tokenizer.json of potion-base-8M.
EXPECTED = {
    "Where did Anna's embeddings go?": "where did anna ' s em ##bed ##ding ##s go ?",
    "Café ÉCLAIR naïve": "cafe ec ##lai ##r naive",
    "東京 is 日本": "東 京 is 日 本",
    "\u039f\u0394\u039f\u03a3": "\u03bf ##\u03b4 ##\u03bf ##\u03c3",
    "a\x00b\tc\u200bd": "ab cd",
    "$5+tax (20%) <b>": "$ 5 + tax ( 20 % ) < b >",
    "🦊 fox": "[UNK] fox",
    "unaffable\u00a0thing": "una ##ffa ##ble thing",
    "한국": "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ",
    "e\u0301te\u0301": "et ##e",
    "milepost.embedding_v2": "mile ##post . em ##bed ##ding _ v ##2",
    "\ufffdok": "ok",
    "İstanbul": "istanbul",
    "": "",
    " \r\n ": "",
}


@pytest.mark.parametrize("text", EXPECTED)
def test_a_text_is_split_as_bert_splits_it(text: str) -> None:
    assert " ".join(VOCABULARY[i] for i in WORDPIECE.encode(text)) == EXPECTED[text]


def test_a_word_beyond_the_limit_is_unknown() -> None:
    assert WORDPIECE.encode("x" * (WORD_CHARACTERS_MAX + 1)) == [WORDPIECE.unknown]


def test_a_special_token_in_a_text_is_plain_text() -> None:
    pieces = [VOCABULARY[i] for i in WORDPIECE.encode("[MASK]")]
    assert pieces == ["[", "mask", "]"]


@given(st.text(alphabet=st.characters()))
def test_any_text_has_ids_and_the_same_ones_again(text: str) -> None:
    ids = WORDPIECE.encode(text)
    assert all(0 <= i < len(VOCABULARY) for i in ids)
    assert WORDPIECE.encode(text) == ids
