"""Calls of Paimon's core on one bucket of a table: open, compact, and describe what was written.

Values of type Any are Java objects of the package `org.apache.paimon` in the child JVM, for Paimon 1.4.2.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from engine.formats.paimon.task.contract import CoreTask
from engine.formats.paimon.task.errors import CoreFault
from engine.formats.paimon.task.stores import file_io
from engine.rewriting.kernel.errors import NOTHING_TO_DO, UNREADABLE_LAYOUT, InputFault, Refused
from engine.rewriting.kernel.storage.stores.addresses import file_name

_MAIN: Final = "main"
_LAST_LEVEL: Final = 2**31 - 1
"""Stands for the last level of a bucket, however many it has."""

NOWHERE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One data file: its full path, bytes, rows, level, and the table's schema that it has."""

    path: str
    file_bytes: int
    record_count: int
    level: int
    schema_id: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """A finished compaction, not committed.

    `message`: see `pack_message`. `changelog`: changelog files, which are written in addition to `after`. A file that
    only moved to another level is in both `before` and `after`. `indexes`: paths of new index files. `output_level`:
    the level of `after`; None: nothing was written, so that it is not known.
    """

    message: str
    before: tuple[FileFacts, ...]
    after: tuple[FileFacts, ...]
    changelog: tuple[FileFacts, ...]
    indexes: tuple[str, ...]
    output_level: int | None

    def rewritten(self) -> tuple[tuple[FileFacts, ...], tuple[FileFacts, ...]]:
        """Return the files that were read and those that were written, without those that only moved."""
        moved = {one.path for one in self.before} & {one.path for one in self.after}
        read, written = (tuple(one for one in files if one.path not in moved) for files in (self.before, self.after))
        return read, written


def open_table(jvm: Any, location: str, options: Mapping[str, str], storage: Mapping[str, str] = NOWHERE) -> Any:
    """Return the table at a location, with options overridden.

    Args:
        jvm: the root of Java packages.
        location: the location.
        options: options of the table.
        storage: options of its object store; empty for disks and HDFS.

    Raises:
        CoreFault: an option in the table's schema leads to another table, or another branch of it.
    """
    paimon = jvm.org.apache.paimon
    store = file_io(jvm, location, storage)
    table = paimon.table.FileStoreTableFactory.create(store, paimon.fs.Path(location))
    opened, branch = table.location(), str(table.coreOptions().branch())
    if not opened.equals(paimon.fs.Path(location)) or branch != _MAIN:
        raise CoreFault(f"{location}: its schema has an option, such as branch, that leads to {opened}, {branch}")
    return table.copy(dict(options))


def live_entries(table: Any, partition: Any, bucket: int) -> dict[str, Any]:
    """Return the manifest entries of the files that the newest snapshot has in a bucket, by name."""
    scan = table.store().newScan().withPartitionBucket(partition, bucket)
    return {str(entry.file().fileName()): entry for entry in scan.plan().files()}


def named_entries(live: Mapping[str, Any], names: Iterable[str]) -> list[Any]:
    """Return the entries of these names, in their order, from those of `live_entries`.

    Raises:
        InputFault: the bucket has no such file any more.
    """
    found = []
    for name in names:
        if name not in live:
            raise InputFault(f"{name}: the newest snapshot of the table does not have this file")
        found.append(live[name])
    return found


def remove_files(
    jvm: Any, *, folders: tuple[str, ...], prefix: str, paths: tuple[str, ...], storage: Mapping[str, str] = NOWHERE
) -> None:
    """Remove the files of these folders whose names begin with the prefix, and the files at `paths`."""
    paimon = jvm.org.apache.paimon
    for name in folders:
        folder = paimon.fs.Path(name)
        store = file_io(jvm, name, storage)
        if store.exists(folder):
            for status in store.listStatus(folder):
                path = status.getPath()
                if path.getName().startswith(prefix):
                    store.delete(path, False)
    for name in paths:
        path, store = paimon.fs.Path(name), file_io(jvm, name, storage)
        if store.exists(path):
            store.delete(path, False)


def pack_message(jvm: Any, message: Any) -> str:
    """Return a commit message as base 64 of the serializer's version (4 bytes, big-endian) and the serialized bytes."""
    serializer = jvm.org.apache.paimon.table.sink.CommitMessageSerializer()
    version = int(serializer.getVersion()).to_bytes(4, "big")
    return base64.b64encode(version + bytes(serializer.serialize(message))).decode()


def unpack_message(jvm: Any, packed: str) -> Any:
    """Return the commit message of `pack_message`."""
    content = base64.b64decode(packed, validate=True)
    serializer = jvm.org.apache.paimon.table.sink.CommitMessageSerializer()
    return serializer.deserialize(int.from_bytes(content[:4], "big"), content[4:])


class BucketCalls:
    """One bucket of an opened table.

    Args:
        jvm: the root of Java packages.
        task: the task; names of the files that are written begin with its `name_prefix`.
        user: the commit user, unique for each execution.
    """

    def __init__(self, *, jvm: Any, task: CoreTask, user: str) -> None:
        self._jvm, self._task, self._user = jvm, task, user
        self._paimon = jvm.org.apache.paimon
        prefixes = {"data-file.prefix": task.name_prefix, "changelog-file.prefix": f"{task.name_prefix}changelog-"}
        table = open_table(jvm, task.table, {}, task.storage)
        # by default one more than the trigger: with another one, a full compaction ends at another level, and the
        # core makes changelogs by full compaction at the last level only
        levels = {"num-levels": str(table.coreOptions().numLevels())}
        self._table = table.copy({**task.options, **prefixes, **levels, "write-only": "false"})
        row = base64.b64decode(task.partition, validate=True)
        self._partition = self._paimon.utils.SerializationUtils.deserializeBinaryRow(row)
        self._paths = self._table.store().pathFactory()

    @property
    def table(self) -> Any:
        """The opened table."""
        return self._table

    def folders(self) -> tuple[str, ...]:
        """Return the folders that data files of the bucket are written to."""
        inside = self._paths.bucketPath(self._partition, self._task.bucket)
        relative = self._paths.relativeBucketPath(self._partition, self._task.bucket)
        outside = self._paths.getExternalPaths() or ()
        return (str(inside), *(str(self._paimon.fs.Path(each, relative)) for each in outside))

    def compact(self, scratch: str) -> Compacted:
        """Compact the files that the core chooses.

        Args:
            scratch: a local folder for spilled rows and lookup files.

        Raises:
            Refused: the core found no files to compact.
        """
        write = self._table.newWrite(self._user)
        # partitions from before a change of the option `bucket` keep their number of buckets, also in the commit
        write.getWrite().withIgnoreNumBucketCheck(True)
        spilling = self._paimon.disk.IOManager.create(scratch)
        try:
            write.withIOManager(spilling)
            write.compact(self._partition, self._task.bucket, self._task.full)
            messages = [each for each in write.prepareCommit() if not each.isEmpty()]
            if not messages:
                raise Refused(NOTHING_TO_DO, "the core found no files to compact")
            if len(messages) != 1:
                raise CoreFault(f"{len(messages)} commit messages of one bucket")
            return self._described(messages[0])
        finally:
            write.close()
            spilling.close()

    def merge_inputs(self) -> Compacted:
        """Merge exactly the inputs of the task, files of an append table; with buckets those of one, in their order.

        Raises:
            InputFault: an input is no longer a file of the newest snapshot.
            Refused: a single file without deleted rows, or a table whose files can't be merged this way.
        """
        mode = str(self._table.bucketMode().toString())
        if self._table.primaryKeys() or mode not in ("BUCKET_UNAWARE", "HASH_FIXED"):
            reason = "a primary key" if self._table.primaryKeys() else f"the bucket mode {mode}"
            raise Refused(UNREADABLE_LAYOUT, f"{self._task.table} has {reason}: its files can't be merged one by one")
        if self._table.coreOptions().dataEvolutionEnabled():
            raise Refused(UNREADABLE_LAYOUT, f"{self._task.table} has data-evolution.enabled: columns in several files")
        live = live_entries(self._table, self._partition, self._task.bucket)
        entries = named_entries(live, (file_name(each.path) for each in self._task.inputs))
        files = self._jvm.java.util.ArrayList()
        for entry in entries:
            files.add(entry.file())
        has_vectors = self._table.coreOptions().deletionVectorsEnabled()
        if has_vectors and mode == "HASH_FIXED":
            raise Refused(UNREADABLE_LAYOUT, f"{self._task.table} has deletion vectors in buckets")
        if len(files) < (1 if has_vectors else 2):
            raise Refused(NOTHING_TO_DO, f"{len(files)} files can't be merged")
        write = self._table.store().newWrite(self._user)
        try:
            if mode == "BUCKET_UNAWARE":
                merge = self._paimon.append.AppendCompactTask(self._partition, files)
                return self._described(merge.doCompact(self._table, write))
            after = write.compactRewrite(self._partition, self._task.bucket, None, files)
            return self._described(self._message(entries[0].totalBuckets(), files, after))
        finally:
            write.close()

    def _message(self, buckets: int, before: Any, after: Any) -> Any:
        """Return the commit message of files merged in a bucket: `AppendCompactTask` makes none with a bucket."""
        nothing = self._paimon.io.DataIncrement.emptyIncrement()
        merged = self._paimon.io.CompactIncrement(before, after, self._jvm.java.util.ArrayList())
        message = self._paimon.table.sink.CommitMessageImpl
        return message(self._partition, self._task.bucket, buckets, nothing, merged)

    def _described(self, message: Any) -> Compacted:
        data = self._paths.createDataFilePathFactory(self._partition, self._task.bucket)
        index = self._paths.indexFileFactory(self._partition, self._task.bucket)
        increment = message.compactIncrement()
        after = tuple(_facts(data, file) for file in increment.compactAfter())
        return Compacted(
            message=pack_message(self._jvm, message),
            before=tuple(_facts(data, file) for file in increment.compactBefore()),
            after=after,
            changelog=tuple(_facts(data, file) for file in increment.changelogFiles()),
            indexes=tuple(str(index.toPath(file)) for file in increment.newIndexFiles()),
            output_level=max((one.level for one in after), default=_LAST_LEVEL if self._task.full else None),
        )


def _facts(paths: Any, file: Any) -> FileFacts:
    numbers = (file.fileSize(), file.rowCount(), file.level(), file.schemaId())
    return FileFacts(str(paths.toPath(file)), *map(int, numbers))
