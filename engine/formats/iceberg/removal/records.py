"""The folder of records of deletions of an Iceberg table, which is in its metadata folder."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.intake.storage import read_file
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RECORDS
from engine.rewriting.kernel.storage.stores.addresses import file_name


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """Whole files of one table, `removal.records.RecordFiles`."""

    view: TableView

    def files(self, folder: str) -> Sequence[str]:
        """Return the names of the files directly in a folder; none if it is missing."""
        return [file_name(path) for path in self.view.files_below(folder, is_recursive=False)]

    def read(self, path: str, limit: int) -> bytes:
        """Return the content of a file. Raises FileNotFoundError, Malformed, OSError."""
        return read_file(self.view.table.io.new_input(path), limit)

    def write(self, path: str, body: bytes) -> None:
        """Write a whole file, also over one that exists. Raises OSError."""
        with self.view.table.io.new_output(path).create(overwrite=True) as stream:
            stream.write(body)

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError, OSError."""
        self.view.table.io.delete(path)


def records_root(view: TableView) -> str:
    """Return the folder of the records of all runs of a table."""
    return f"{metadata_location(view.metadata)}/{RECORDS}"


def records_of(view: TableView, run_id: str) -> Records:
    """Return the lists of one run of a table."""
    return Records(RecordFolder(view), records_root(view), run_id)
