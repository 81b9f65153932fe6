"""Read a document of a table that its writer may be writing: Paimon writes tags, and copies for branches, in place."""

from collections.abc import Callable
from time import sleep
from typing import Final, TypeVar

from engine.domain.errors import Transient
from engine.formats.intake.limits import Malformed
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.metadata.snapshots import SNAPSHOT_BYTES

_MOST_READS: Final = 10
_WAIT_SECONDS: Final = 0.2

T = TypeVar("T")


def read_document(files: TableFiles, path: str, parse: Callable[[bytes], T]) -> T | None:
    """Return a parsed document, None if there is none. One that can't be parsed is read again after 0.2 s.

    Raises:
        Malformed: it can't be parsed, and did not change since.
        Transient: it changed ten times, and could never be parsed.
        OSError: the store does not answer.
    """
    before = None
    for _ in range(_MOST_READS):
        body = files.storage.read_if_present(path, SNAPSHOT_BYTES)
        if body is None:
            return None
        try:
            return parse(body)
        except Malformed:
            if body == before:
                raise
        before = body
        sleep(_WAIT_SECONDS)
    raise Transient(f"{path} is being written: it could not be parsed, and changed {_MOST_READS} times")
