"""Publish a snapshot that the core has prepared, under the lock of the catalog.

Writers that take the lock look for their snapshot's number and then rename or copy a file, during which nothing else is
committed.
"""

from collections.abc import Callable
from contextlib import suppress

from engine.domain.errors import OutcomeUnknown
from engine.formats.intake.errors import summary_of
from engine.formats.paimon.catalog.locks import HeldLock
from engine.formats.paimon.files import TableFiles


def publish(
    files: TableFiles,
    held: HeldLock,
    number: int,
    body: bytes,
    *,
    base: tuple[int, bytes] | None,
    before_try: Callable[[], None],
) -> bool:
    """Publish a snapshot, unless the newest one is no longer the one that it was prepared on: another writer has won.

    Args:
        files: the files of the table.
        held: the lock of the table.
        number: the number of the snapshot.
        body: its content.
        base: number and content of the newest snapshot before the preparation: after a rollback, another one can have
            its number.
        before_try: see `formats.base.Committer.commit`.

    Returns:
        Whether it was published.

    Raises:
        OutcomeUnknown: the store did not answer.
        Transient: the lock was held for too long; nothing was sent.
    """
    if base is None or base[0] != number - 1 or files.newest_snapshot() != base:
        return False
    before_try()
    held.check()
    if not _is_sent(files, number, body):
        return False
    with suppress(OSError):  # readers list the snapshots if the hint is out of date
        files.write_latest(number)
    return True


def _is_sent(files: TableFiles, number: int, body: bytes) -> bool:
    try:
        files.publish_snapshot(number, body)
    except FileExistsError:
        return files.snapshot_body(number) == body
    except OSError as error:
        if _is_there(files, number, body):
            return True
        raise OutcomeUnknown(f"snapshot {number} may still appear: {summary_of(error)}") from error
    return True


def _is_there(files: TableFiles, number: int, body: bytes) -> bool:
    with suppress(OSError):
        return files.snapshot_body(number) == body
    return False
