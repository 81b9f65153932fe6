"""Where the records of deletions of a Paimon table are: in a folder of its location that Paimon does not look at."""

from engine.formats.deletion.records import Records
from engine.formats.deletion.scopes import RECORDS
from engine.formats.paimon.files import TableFiles


def records_root(files: TableFiles) -> str:
    """Return the folder of the records of all runs of a table."""
    return f"{files.location}/{RECORDS}"


def records_of(files: TableFiles, run_id: str) -> Records:
    """Return the lists of one run of a table."""
    return Records(files.storage, records_root(files), run_id)
