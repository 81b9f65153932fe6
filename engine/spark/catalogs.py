"""The catalogs that a Spark server has, by the settings of a session, and the metadata files of a table in one of them.

Settings of catalogs contain passwords and keys: only the names of catalogs and of their classes leave this module.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.domain.runs.procedures import SparkTable
from engine.spark import sql
from engine.spark.dispatch import SparkDispatcher, limited
from engine.spark.sessions import SparkSessions

PREFIX: Final = "spark.sql.catalog."
"""Beginning of the settings of a catalog, before its name."""

ANSWER_SECONDS: Final = 30.0
MOST_FILES: Final = 100
"""Metadata files of a table that are read, the newest: as many as tables of Iceberg keep by default."""

_MOST_CATALOGS: Final = 1_000
_LONGEST_NAME: Final = 200
_TAG: Final = "packhouse-catalogs"


class SparkCatalogs:
    """Reads the catalogs of one Spark server; blocks.

    Each method raises:
        Away: the server does not answer. SparkFailed: it answers with an error.
        Interrupted: it did not answer within `ANSWER_SECONDS`.
    """

    def __init__(self, *, sessions: SparkSessions, dispatcher: SparkDispatcher) -> None:
        self._sessions = sessions
        self._dispatcher = dispatcher

    def classes(self) -> Mapping[str, str]:
        """Return the class of each catalog by the catalog's name in Spark.

        `SHOW CATALOGS` lists only those that were used before.
        """
        found: dict[str, str] = {}
        for name, value in self._sessions.calls.settings(self._sessions.current_id(), PREFIX):
            catalog = name.removeprefix(PREFIX)
            if "." not in catalog and len(found) < _MOST_CATALOGS:
                found[catalog[:_LONGEST_NAME]] = value[:_LONGEST_NAME]
        return found

    def metadata_files(self, table: SparkTable) -> Sequence[str]:
        """Return the locations of a table's metadata files, the current one first.

        Raises:
            InvalidInput: a name that can't be written in SQL.
        """
        with limited(self._dispatcher, self._sessions, _TAG, ANSWER_SECONDS) as ticket:
            self._dispatcher.execute(ticket, sql.refresh(table))
        with limited(self._dispatcher, self._sessions, _TAG, ANSWER_SECONDS) as ticket:
            return [str(row["file"]) for row in self._dispatcher.rows(ticket, sql.metadata_files(table, MOST_FILES))]
