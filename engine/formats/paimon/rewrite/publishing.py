"""Publish a snapshot that the core has prepared: under the lock of the catalog, or by a catalog that does it itself.

Writers that take the lock look for their snapshot's number and then rename or copy a file, during which nothing else is
committed. A REST catalog accepts one snapshot of each number.
"""

from collections.abc import Callable
from contextlib import suppress
from time import sleep
from typing import Final

from engine.domain.errors import OutcomeUnknown, PackhouseError, Transient
from engine.formats.intake.errors import summary_of
from engine.formats.paimon.catalog.locks import HeldLock
from engine.formats.paimon.files import ManagedTable, TableFiles
from engine.formats.paimon.task.commits import CommitAnswer

_MOST_LOOKS: Final = 5
_LOOK_SECONDS: Final = 0.2


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
        before_try: see `formats.base.TableCommits.commit`.

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


def send_to_catalog(
    catalog: ManagedTable,
    files: TableFiles,
    user: str,
    answer: CommitAnswer,
    *,
    base: tuple[int, bytes] | None,
    before_try: Callable[[], None],
) -> bool:
    """Send a prepared snapshot to the catalog, unless its newest one is no longer the one that it was prepared on.

    Args:
        catalog: the table in the catalog, which refuses the commit to another one of the same name.
        files: the files of the table.
        user: the commit user of the snapshot, which no other commit has.
        answer: the prepared snapshot.
        base: number and content of the newest snapshot before the preparation.
        before_try: see `formats.base.TableCommits.commit`.

    Returns:
        Whether it was committed.

    Raises:
        OutcomeUnknown: the catalog did not answer.
        Transient: the core prepared it on a snapshot that the catalog does not name yet; nothing was sent.
        CommitConflict, Away, StateConflict: as `ManagedTable.commit`; nothing was committed.
    """
    number, newest = answer.snapshot_id or 0, files.newest_snapshot()
    for _ in range(_MOST_LOOKS):  # it writes the file of a snapshot before it names it
        if newest is None or number <= newest[0] + 1:
            break
        sleep(_LOOK_SECONDS)
        newest = files.newest_snapshot()
    if base is None or newest is None:
        return False
    if number > newest[0] + 1:
        raise Transient(
            f"the table's folder has snapshot {number - 1} and the catalog names {newest[0]} as the newest: another "
            "commit has not ended; nothing was committed"
        )
    if base[0] != number - 1 or newest != base:
        return False
    before_try()
    try:
        if catalog.commit(answer.content, answer.statistics):
            return True
    except OutcomeUnknown:
        if _is_committed(files, number, user):
            return True
        raise
    if _is_committed(files, number, user):  # by a request that was sent twice
        return True
    _check_other_won(files, base)
    return False


def _check_other_won(files: TableFiles, base: tuple[int, bytes]) -> None:
    """Raise `Transient` if the newest snapshot stays the same although the catalog says that another writer won."""
    for _ in range(_MOST_LOOKS):
        if files.newest_snapshot() != base:
            return
        sleep(_LOOK_SECONDS)
    raise Transient(f"the catalog refused snapshot {base[0] + 1} while {base[0]} is still its newest")


def _is_committed(files: TableFiles, number: int, user: str) -> bool:
    with suppress(OSError, ValueError, PackhouseError):
        newest = files.newest_snapshot()
        found = files.snapshot(number) if newest is not None and newest[0] >= number else None
        return found is not None and found.commit_user == user
    return False


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
