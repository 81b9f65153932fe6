"""The folder of records of deletions of a Paimon table, in its location, which Paimon does not look at."""

from engine.domain.errors import TableReplaced
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.view import TableView
from engine.formats.removal.file_lists import Origin
from engine.formats.removal.records import Records
from engine.formats.removal.scopes import RECORDS


def records_root(files: TableFiles) -> str:
    """Return the folder of the records of all runs of a table."""
    return f"{files.location}/{RECORDS}"


def records_of(files: TableFiles, run_id: str) -> Records:
    """Return the lists of one run of a table."""
    return Records(files.storage, records_root(files), run_id)


def origin_of(view: TableView) -> Origin:
    """Return the origin of a list of files that is made from this version of a table."""
    newest = (0, 0) if view.head is None else (view.head.id, view.head.committed_at_ms)
    return Origin(view.uuid, newest[0] + 1, newest[1])


def check_same(view: TableView, origin: Origin) -> None:
    """Raise `TableReplaced` unless a list of files is of this table. Its snapshots can be older, after a rollback."""
    if origin.uuid != view.uuid:
        raise TableReplaced(f"the table under this name is another one now ({view.uuid}, it was {origin.uuid})")
