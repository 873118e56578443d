"""What searches and lists choose from, by the database itself."""

from milepost.storage.postgres.database import PostgresDatabase


class PostgresCandidates:
    """Answers from the tables."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._db = database
