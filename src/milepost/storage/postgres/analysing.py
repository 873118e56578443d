"""Analyse again what was analysed by older rules, a home at a time and while it is used."""

from milepost.memory.values import Indexed
from milepost.ports import Analyser
from milepost.storage.postgres.database import PostgresDatabase
from milepost.storage.postgres.vectors import half_vectors
from milepost.storage.postgres.words import searched
from milepost.text.words import ANALYSIS_VERSION

_AT_ONCE = 200


def analyse_anew(database: PostgresDatabase, analyse: Analyser) -> None:
    """Bring the homes up to date whose texts were analysed by other rules than these."""
    for (home,) in database.committed("homes_of_other_rules", str(ANALYSIS_VERSION)):
        here, last = database.within(home), 0
        while rows := here.rows("analysed", last, _AT_ONCE):
            with here.writing():
                for row in rows:
                    _analyse(here, analyse, Indexed(*row[:4]), row[4])
            last = rows[-1][0]
        with here.writing():
            here.run("set_analysis", str(ANALYSIS_VERSION))


def _analyse(here: PostgresDatabase, analyse: Analyser, memory: Indexed, space: str) -> None:
    terms, traits, vectors = analyse(memory)
    columns = searched(space, memory.author, memory.content, terms, here.seals)
    changed = {"id": memory.id, "traits": traits, "change": here.next_change()}
    here.run("set_terms", changed | columns)
    for model, vector in zip(vectors, half_vectors(list(vectors.values())), strict=True):
        here.run("insert_vector", memory.id, model, vector)
