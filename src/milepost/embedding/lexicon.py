"""What the static model knows of single words: which are akin, and how common each is."""

from pathlib import Path

import numpy as np

from milepost.embedding.static import FOLDER, StaticEmbedder


class StaticLexicon:
    """Reads the table of kin that was made from the model's vectors."""

    def __init__(self, model: StaticEmbedder, folder: Path = FOLDER) -> None:
        self._numbers = model.numbers
        self._words = list(model.numbers)
        self._kin = np.load(folder / "kin.ids.npy", mmap_mode="r")
        self._sims = np.load(folder / "kin.sims.npy", mmap_mode="r")

    def kin(self, word: str) -> list[tuple[str, float]]:
        """Return the words nearest in meaning, nearest first, with their similarity."""
        number = self._numbers.get(word)
        if number is None:
            return []
        pairs = zip(self._kin[number].tolist(), self._sims[number].tolist(), strict=True)
        return [(self._words[i], sim / 255) for i, sim in pairs if sim]

    def rank(self, word: str) -> int:
        """Return the place of a word among the model's words, which stand by falling frequency."""
        return self._numbers.get(word, len(self._words))
