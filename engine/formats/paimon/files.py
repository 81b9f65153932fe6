"""Paths of the files of a table, and the search for its newest schema and snapshot."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import sleep
from typing import Final, Protocol

from engine.formats.intake.limits import Malformed
from engine.formats.intake.table_storage import TableStorage
from engine.formats.paimon.metadata.schemas import SCHEMA_BYTES, TableSchema, parse_schema
from engine.formats.paimon.metadata.snapshots import SNAPSHOT_BYTES, Snapshot, parse_snapshot

_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,17})")
_HINT_BYTES: Final = 64
_MOST_LOOKS: Final = 3
_LOOK_SECONDS: Final = 0.2


class ManagedTable(Protocol):
    """A table whose catalog decides which snapshot is the newest, and makes snapshots visible."""

    @property
    def uuid(self) -> str:
        """The identity of the table in the catalog."""

    def newest(self) -> Snapshot | None:
        """Return the newest snapshot, None before the first."""

    def tags(self) -> Sequence[str]:
        """Return the names of the tags that the catalog knows."""

    def branches(self) -> Sequence[str]:
        """Return the names of the branches that the catalog knows."""

    def commit(self, snapshot: str, statistics: str) -> bool:
        """Commit a prepared snapshot and return whether it was; see `catalog.rest.tables.RestTable.commit`."""


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of the table at a location.

    `managed`: the table in a catalog that decides about its snapshots. `is_named`: the catalog names the location.
    """

    storage: TableStorage
    location: str
    managed: ManagedTable | None = None
    is_named: bool = False

    @property
    def manifests(self) -> str:
        """The folder of manifests and manifest lists."""
        return f"{self.location}/manifest"

    def schema_ids(self) -> Sequence[int]:
        """Return the ids of all schemas, in order; none if there is no table."""
        return self._numbers("schema")

    def schema(self, number: int) -> TableSchema:
        """Return a schema. Raises FileNotFoundError, Malformed."""
        return parse_schema(self.storage.read(f"{self.location}/schema/schema-{number}", SCHEMA_BYTES), number=number)

    def snapshot_ids(self) -> Sequence[int]:
        """Return the ids of all snapshots that are not expired, in order."""
        return self._numbers("snapshot")

    def snapshot(self, number: int) -> Snapshot | None:
        """Return a snapshot, None if it is expired. Raises Malformed."""
        body = self.snapshot_body(number)
        return None if body is None else parse_snapshot(body, number=number)

    def delete_snapshot(self, number: int) -> None:
        """Delete the file of a snapshot. Raises FileNotFoundError, OSError."""
        self.storage.delete(f"{self.location}/snapshot/snapshot-{number}")

    def publish_snapshot(self, number: int, body: bytes) -> None:
        """Write the file of a snapshot that must not exist. Raises FileExistsError, OSError."""
        self.storage.publish(f"{self.location}/snapshot/snapshot-{number}", body)

    def write_latest(self, number: int) -> None:
        """Write the hint `LATEST`: readers begin to look for the newest snapshot there. Raises OSError."""
        self.storage.write(f"{self.location}/snapshot/LATEST", str(number).encode())

    def write_earliest(self, number: int) -> None:
        """Write the hint `EARLIEST`: readers begin to look for the oldest snapshot there. Raises OSError."""
        self.storage.write(f"{self.location}/snapshot/EARLIEST", str(number).encode())

    def newest_snapshot(self) -> tuple[int, bytes] | None:
        """Return the id and content of the newest snapshot, None before the first.

        The file `LATEST` has the id at most times: writers set it after each commit, without a guarantee. It is right
        if its snapshot exists and the next one does not; otherwise the snapshots are listed. If the table is managed,
        its catalog names the snapshot instead.

        Raises:
            Malformed: the catalog names one whose file is missing or has another content.
        """
        if self.managed is not None:
            return self._named_by(self.managed)
        hint = self._hint()
        if hint is not None and self.snapshot_body(hint + 1) is None and (body := self.snapshot_body(hint)):
            return hint, body
        for number in reversed(self.snapshot_ids()):
            if (body := self.snapshot_body(number)) is not None:
                return number, body
        return None

    def snapshot_body(self, number: int) -> bytes | None:
        """Return the content of a snapshot's file, None if there is none."""
        return self.storage.read_if_present(f"{self.location}/snapshot/snapshot-{number}", SNAPSHOT_BYTES)

    def _named_by(self, catalog: ManagedTable) -> tuple[int, bytes] | None:
        named = None
        for turn in range(_MOST_LOOKS):  # it can expire, or be rolled back, before its file is read
            sleep(_LOOK_SECONDS if turn else 0.0)
            if (named := catalog.newest()) is None:
                return None
            body = self.snapshot_body(named.id)
            found = None if body is None else parse_snapshot(body, number=named.id)
            if body is not None and found == replace(named, file_bytes=len(body)):
                return named.id, body
        raise Malformed(
            f"the catalog names snapshot {named and named.id} as the newest: its file is missing or differs"
        )

    def _hint(self) -> int | None:
        try:
            written = self.storage.read_if_present(f"{self.location}/snapshot/LATEST", _HINT_BYTES)
        except Malformed:
            return None
        text = (written or b"").decode(errors="replace").strip()
        return int(text) if _NUMBER.fullmatch(text) and int(text) > 0 else None

    def _numbers(self, kind: str) -> Sequence[int]:
        names = self.storage.files(f"{self.location}/{kind}")
        found = (name.removeprefix(f"{kind}-") for name in names if name.startswith(f"{kind}-"))
        return sorted(int(text) for text in found if _NUMBER.fullmatch(text))
