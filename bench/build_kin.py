"""Build the table of kin that ships beside the static model: for each word its nearest words.

usage: python bench/build_kin.py
"""

import sys
from pathlib import Path

import numpy as np
from tqdm import tqdm

from milepost.embedding.static import FOLDER, StaticEmbedder
from milepost.ranking.keys import term_key
from milepost.text.words import STOP_WORDS, stem

KIN = 16
LEAST = 0.4


def main() -> None:
    """Write kin.terms.npy (keys of the kin's terms) and kin.sims.npy (similarities as bytes)."""
    model = StaticEmbedder()
    words = list(model.numbers)
    whole = np.array([i for i, word in enumerate(words) if _is_word(word)])
    vectors = model.token_vectors(list(whole))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    ids = np.zeros((len(words), KIN), np.uint16)
    sims = np.zeros((len(words), KIN), np.uint8)
    for start in tqdm(range(0, len(whole), 512), desc="kin", unit="block"):
        rows = whole[start : start + 512]
        near = vectors[start : start + 512] @ vectors.T
        near[np.arange(len(rows)), np.arange(start, start + len(rows))] = -1
        best = np.argsort(-near, axis=1, kind="stable")[:, :KIN]
        values = np.take_along_axis(near, best, axis=1)
        ids[rows] = whole[best]
        sims[rows] = np.where(values >= LEAST, np.round(np.clip(values, 0, 1) * 255), 0)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    keys = np.array([term_key(stem(word)) for word in words], np.uint32)
    np.save(folder / "kin.terms.npy", np.where(sims > 0, keys[ids], 0).astype(np.uint32))
    np.save(folder / "kin.sims.npy", sims)


def _is_word(token: str) -> bool:
    return len(token) > 1 and token.isalnum() and token not in STOP_WORDS


if __name__ == "__main__":
    main()
