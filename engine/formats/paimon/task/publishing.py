"""Prepare a snapshot with the core, and publish it in an S3 store without replacing that of another writer.

The core prepares the commit: it checks for conflicts, writes the manifests, and hands the snapshot to a
`SnapshotCommit`. This one is replaced by one that writes to a local folder, from where the snapshot is put in its
place by a conditional request; or by the worker, which takes the lock of the catalog for that.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from engine.formats.paimon.task.core_process import CoreProcess
from engine.formats.paimon.task.errors import CoreFault
from engine.formats.paimon.task.stores import ConditionalFiles

SETTLE_SECONDS: Final = 30.0
"""Least time between two snapshots of Packhouse in a row: a writer that is about to replace the first has then done so.

A writer asks whether its snapshot is missing, and copies it to its place in the next request. A snapshot that appears
in between is replaced. If it is that of a compaction, nothing is lost, unless another snapshot is already based on it.
"""

_MAIN: Final = "main"
_USER: Final = "packhouse-"
_CHECK: Final = "checkFilesExistence"


class ConditionalCommit:
    """One commit to a table in an S3 store.

    Args:
        child: the JVM.
        table: the opened table.
        clock, pause: the time in seconds since 1970, and a wait, for tests in virtual time.
    """

    def __init__(
        self,
        child: CoreProcess,
        table: Any,
        *,
        clock: Callable[[], float] = time.time,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._child, self._table = child, table
        self._clock, self._pause = clock, pause
        self._files = ConditionalFiles(child, table.fileIO(), str(table.location()))

    def require_support(self) -> None:
        """Check that the store has conditional requests. Raises `Refused`."""
        self._files.require_support(str(self._table.location().toUri().getAuthority()))

    def settle(self) -> None:
        """Wait until the newest snapshot is old enough, if it is one of Packhouse."""
        newest = self._table.snapshotManager().latestSnapshot()
        if newest is not None and str(newest.commitUser()).startswith(_USER):
            age = self._clock() - int(newest.timeMillis()) / 1000
            self._pause(min(SETTLE_SECONDS, max(0.0, SETTLE_SECONDS - age)))

    def commit(self, opened: Any, committable: Any) -> int | None:
        """Commit and return the number of the snapshot; 0 if it has no changes, None if another writer won.

        Args:
            opened: a commit of the table (`TableCommitImpl`).
            committable: a `ManifestCommittable`.
        """
        made = prepared(self._child, opened, committable)
        return 0 if made is None else self._publish(*made)

    def _publish(self, number: int, content: bytes) -> int | None:
        manager = self._table.snapshotManager()
        target = manager.snapshotPath(number)
        try:
            self._files.create(str(target), content)
        except Exception:
            if not self._table.fileIO().exists(target):
                raise  # it may still appear
            if not self._is_published(target, content):
                return None
        manager.commitLatestHint(number)
        return number

    def _is_published(self, target: Any, content: bytes) -> bool:
        """Return whether a snapshot is that of this commit, whose answer was lost."""
        snapshots = self._child.jvm.org.apache.paimon
        stored = snapshots.utils.SnapshotManager.fromPath(self._table.fileIO(), target)
        return bool(stored.equals(snapshots.Snapshot.fromJson(content.decode())))


def send(child: CoreProcess, opened: Any, committable: Any) -> None:
    """Commit without a search for an earlier send of the commit, unless files that it adds are missing.

    As `TableCommitImpl.filterAndCommitMultiple`, whose search reads all snapshots of the table. A file is missing if
    the commit arrives so late that the run has removed its outputs.

    Args:
        child: the JVM.
        opened: a commit of the table (`TableCommitImpl`).
        committable: a `ManifestCommittable`.

    Raises:
        Py4JError: it found a conflict or a missing file, or the store did not answer.
    """
    committables = child.jvm.java.util.ArrayList()
    committables.add(committable)
    (check,) = (each for each in opened.getClass().getDeclaredMethods() if each.getName() == _CHECK)
    check.setAccessible(True)
    check.invoke(opened, child.array(committables))
    opened.commitMultiple(committables, True)


def prepared(child: CoreProcess, opened: Any, committable: Any) -> tuple[int, bytes] | None:
    """Prepare a commit, and return number and content of its snapshot; None if it has no changes.

    The manifests are written; no reader sees them without the snapshot.

    Args:
        child: the JVM.
        opened: a commit of the table (`TableCommitImpl`).
        committable: a `ManifestCommittable`.

    Raises:
        CoreFault: the core made several snapshots.
        Py4JError: it found a conflict, or the store did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="packhouse-commit-") as folder:
        _redirect(child, opened, folder)
        send(child, opened, committable)
        written = sorted(Path(folder, "snapshot").glob("snapshot-*"))
        if not written:
            return None
        if len(written) > 1:
            raise CoreFault(f"{len(written)} snapshots of one commit, where one was expected; none was published")
        return int(written[0].name.removeprefix("snapshot-")), written[0].read_bytes()


def partition_counts(child: CoreProcess, table: Any, opened: Any, content: str) -> str:
    """Return the changes of rows, files and bytes by partition as JSON, which Paimon's core sends to a REST catalog.

    As `FileStoreCommitImpl.commitSnapshotImpl`.

    Args:
        child: the JVM.
        table: the opened table.
        opened: the commit of the table that prepared the snapshot (`TableCommitImpl`).
        content: the snapshot.
    """
    paimon, store = child.jvm.org.apache.paimon, table.store()
    entries = child.jvm.java.util.ArrayList()
    manifests = store.manifestFileFactory().create()
    for each in store.manifestListFactory().create().readDeltaManifests(paimon.Snapshot.fromJson(content)):
        entries.addAll(manifests.read(each.fileName(), each.fileSize()))
    commit = _field(opened, "commit").get(opened)
    computer = _field(commit, "partitionComputer").get(commit)
    counts = child.jvm.java.util.ArrayList()
    for each in _merged(child, entries):
        counts.add(each.toPartitionStatistics(computer))
    return str(paimon.utils.JsonSerdeUtil.toFlatJson(counts))


def _merged(child: CoreProcess, entries: Any) -> Any:
    """Return the static `PartitionEntry.merge` of entries; py4j finds only the method of this name of an object."""
    found = child.jvm.java.lang.Class.forName("org.apache.paimon.manifest.PartitionEntry").getDeclaredMethods()
    names = ("merge", ["java.util.Collection"])
    (merge,) = (m for m in found if (m.getName(), [each.getName() for each in m.getParameterTypes()]) == names)
    return child.jvm.java.util.ArrayList(merge.invoke(None, child.array(entries)))


def _redirect(child: CoreProcess, opened: Any, folder: str) -> None:
    """Have the core write the snapshot to a local folder."""
    paimon = child.jvm.org.apache.paimon
    place = paimon.fs.Path(Path(folder).as_uri())
    manager = paimon.utils.SnapshotManager(paimon.fs.local.LocalFileIO.create(), place, _MAIN, None, None)
    writing = paimon.catalog.RenamingSnapshotCommit(manager, paimon.operation.Lock.empty())
    commit = _field(opened, "commit").get(opened)
    _field(commit, "snapshotCommit").set(commit, writing)


def _field(target: Any, name: str) -> Any:
    """Return a private field of an object's class, by reflection."""
    found = target.getClass().getDeclaredField(name)
    found.setAccessible(True)
    return found
