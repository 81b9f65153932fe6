"""One table of a REST catalog: where it is, its newest snapshot, and commits.

The catalog decides which snapshot is the newest, as Paimon's `SnapshotLoader` does. The files of snapshots are in the
table's folder as everywhere; the server writes them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from engine.domain.errors import Away, CommitConflict, NotEligible, OutcomeUnknown
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.intake.documents import Document
from engine.formats.intake.errors import printable
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.catalog.rest.client import NoSuch, NotSupported, Redirected, RequestUnanswered, RestClient
from engine.formats.paimon.catalog.rest.pages import names_of
from engine.formats.paimon.metadata.snapshots import Snapshot, parse_snapshot

_KINDS: Final = ("table", "materialized-table")
_SNAPSHOT: Final = "SNAPSHOT"
_LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class RestTable:
    """A table as the catalog answered. `path` is that of its requests; `location` and `table_id` are not trusted."""

    client: RestClient
    path: str
    table_id: str
    location: str

    @property
    def uuid(self) -> str:
        """An identity that is made of the catalog's: a table that is created again has another one."""
        return str(uuid5(NAMESPACE_URL, f"paimon:rest:{self.table_id}"))

    def newest(self) -> Snapshot | None:
        """Return the newest snapshot, None before the first. Raises as `RestClient`."""
        try:
            answer = self.client.get(f"{self.path}/snapshot")
        except NoSuch as error:
            if error.kind == _SNAPSHOT:
                return None
            if error.is_of_table:
                raise
            raise Away(DependencyKind.CATALOG, error.message) from error
        except NotSupported as error:
            message = f"{error.message}: the catalog does not keep snapshots; use a catalog of type filesystem"
            raise NotEligible(message) from error
        return _snapshot(answer)

    def tags(self) -> Sequence[str]:
        """Return the names of the tags that the catalog knows; none if it does not manage tags."""
        return self._names("tags")

    def branches(self) -> Sequence[str]:
        """Return the names of the branches that the catalog knows; none if it does not manage branches."""
        return self._names("branches")

    def _names(self, kind: str) -> Sequence[str]:
        try:
            return sorted(set(names_of(self.client, f"{self.path}/{kind}", kind)))
        except NotSupported:
            return ()

    def commit(self, snapshot: str, statistics: str) -> bool:
        """Commit a prepared snapshot.

        Args:
            snapshot: the content of its file.
            statistics: JSON of the changes by partition, as Paimon's core counts them.

        Returns:
            False if the catalog has a snapshot of the same number: another writer has won.

        Raises:
            CommitConflict: the table was dropped, or created again.
            OutcomeUnknown: there is no answer, or none that can be read.
            Away: the server can't be reached; nothing was sent.
            StateConflict: it refuses the commit.
        """
        body = f'{{"tableId":{json.dumps(self.table_id)},"snapshot":{snapshot},"statistics":{statistics}}}'
        try:
            is_done = self.client.post(f"{self.path}/commit", body.encode()).value("success")
        except NoSuch as error:
            if error.is_of_table:
                raise CommitConflict(f"the catalog has no table of this identity any more: {error.message}") from error
            raise OutcomeUnknown(f"the commit has no answer of the catalog: {error.message}") from error
        except (RequestUnanswered, Redirected, Malformed) as error:
            raise OutcomeUnknown(f"the commit has no answer: {error}") from error
        if not isinstance(is_done, bool):
            raise OutcomeUnknown(f"the commit has no answer: success is a {type(is_done).__name__}")
        return is_done


def table_of(client: RestClient, path: str) -> RestTable:
    """Ask for a table and return it.

    Raises:
        NotEligible: Paimon does not manage its files, or the catalog not its snapshots.
        NoSuch, NotAllowed, StateConflict, Away, Malformed: as `RestClient`.
    """
    answer = client.get(path)
    schema = answer.value("schema")
    if not isinstance(schema, dict):
        raise Malformed("schema is not an object")
    kind = Document(schema).text_map("options").get("type", "table").strip().lower()
    if kind not in _KINDS:
        raise NotEligible(f"the catalog has it as {printable(kind[:40])}: its files are not those of a Paimon table")
    if answer.optional("isExternal") is True:
        raise NotEligible(
            "it is an external table: the catalog does not know its snapshots; use a catalog of type filesystem for it"
        )
    table_id, location = answer.text("id"), answer.text("path").rstrip("/")
    if not table_id or not location or len(table_id) > _LONGEST or len(location) > _LONGEST:
        raise Malformed("its id or path is empty or too long")
    return RestTable(client, path, table_id, location)


def _snapshot(answer: Document) -> Snapshot:
    outer = answer.value("snapshot")
    inner: Any = outer.get("snapshot") if isinstance(outer, dict) else None
    if not isinstance(inner, dict):
        raise Malformed("snapshot is not an object with a snapshot")
    number = Document(inner).whole("id", least=1)
    return parse_snapshot(json.dumps(inner).encode(), number=number)
