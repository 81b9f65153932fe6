"""Calls of Paimon's core that change a table other than by rows, and those that show what its snapshots reach."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jpype


def java(name: str) -> Any:
    return jpype.JClass(f"org.apache.paimon.{name}")


class Changes(ABC):
    """Calls by the names of the methods, as of `core_process.Core`."""

    def add_column(self, warehouse: str, table: str, name: str, kind: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").addColumn(name, self._type(kind)))

    def rename_column(self, warehouse: str, table: str, name: str, new_name: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").renameColumn(name, new_name))

    def drop_column(self, warehouse: str, table: str, name: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").dropColumn(name))

    def change_type(self, warehouse: str, table: str, name: str, kind: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").updateColumnType(name, self._type(kind)))

    def set_option(self, warehouse: str, table: str, name: str, value: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").setOption(name, value))

    def remove_option(self, warehouse: str, table: str, name: str) -> None:
        self._alter(warehouse, table, java("schema.SchemaChange").removeOption(name))

    def drop(self, warehouse: str, table: str) -> None:
        """Drop the table, whose files are deleted."""
        self._catalog(warehouse).dropTable(self._identifier(table), False)

    def commit_file(self, warehouse: str, table: str, path: str) -> None:
        """Commit a data file that is in the folder of a bucket with other files: as a copy of one of these."""
        folder, _, name = path.rpartition("/")
        opened = self._table(warehouse, table, None)
        factory = opened.store().pathFactory()
        entry = next(
            each
            for each in opened.store().newScan().plan().files()
            if str(factory.bucketPath(each.partition(), each.bucket())).endswith(folder)
        )
        empty = jpype.java.util.Collections.emptyList()
        added = jpype.java.util.Collections.singletonList(entry.file().rename(name))
        increment = java("io.DataIncrement")(added, empty, empty)
        nothing = java("io.CompactIncrement").emptyIncrement()
        messages = jpype.java.util.ArrayList()
        messages.add(java("table.sink.CommitMessageImpl")(entry.partition(), entry.bucket(), None, increment, nothing))
        commit = opened.newBatchWriteBuilder().newCommit()
        commit.commit(messages)
        commit.close()

    def clean(self, warehouse: str, table: str, older_than_ms: int) -> list[str]:
        """Delete orphans that are older than a time by Paimon's own search; return their paths."""
        found = java("operation.LocalOrphanFilesClean")(
            self._table(warehouse, table, None), jpype.JLong(older_than_ms), False
        ).clean()
        return [str(each) for each in found.getDeletedFilesPath() or []]

    def truncate(self, warehouse: str, table: str, partition: Mapping[str, str] | None = None) -> None:
        commit = self._table(warehouse, table, None).newBatchWriteBuilder().newCommit()
        if partition is None:
            commit.truncateTable()
        else:
            commit.truncatePartitions(jpype.java.util.Arrays.asList(jpype.java.util.HashMap(dict(partition))))
        commit.close()

    def expire(self, warehouse: str, table: str, retained: int) -> None:
        config = java("options.ExpireConfig").builder().snapshotRetainMax(retained).snapshotRetainMin(retained)
        retained_time = jpype.java.time.Duration.ZERO
        self._table(warehouse, table, None).newExpireSnapshots().config(
            config.snapshotTimeRetain(retained_time).build()
        ).expire()

    def roll_back(self, warehouse: str, table: str, snapshot: int) -> None:
        self._table(warehouse, table, None).rollbackTo(jpype.JLong(snapshot))

    def create_tag(self, warehouse: str, table: str, name: str, snapshot: int, seconds: float | None = None) -> None:
        """Tag a snapshot; `seconds`: the time for which the tag is retained."""
        opened = self._table(warehouse, table, None)
        if seconds is None:
            opened.createTag(name, jpype.JLong(snapshot))
        else:
            opened.createTag(name, jpype.JLong(snapshot), jpype.java.time.Duration.ofMillis(int(seconds * 1000)))

    def expire_tags(self, warehouse: str, table: str) -> list[str]:
        """Remove the tags that are past their time, by Paimon's own expire; return their names."""
        return sorted(
            str(each) for each in self._table(warehouse, table, None).newTagAutoManager().getTagTimeExpire().expire()
        )

    def delete_tag(self, warehouse: str, table: str, name: str) -> None:
        self._table(warehouse, table, None).deleteTag(name)

    def create_branch(self, warehouse: str, table: str, name: str, tag: str) -> None:
        self._table(warehouse, table, None).createBranch(name, tag)

    def roll_back_to_tag(self, warehouse: str, table: str, name: str) -> None:
        self._table(warehouse, table, None).rollbackTo(name)

    def set_consumer(self, warehouse: str, table: str, name: str, snapshot: int) -> None:
        opened = self._table(warehouse, table, None)
        manager = java("consumer.ConsumerManager")(opened.fileIO(), opened.location())
        manager.resetConsumer(name, java("consumer.Consumer")(jpype.JLong(snapshot)))

    def compact_manifests(self, warehouse: str, table: str) -> None:
        """Merge the manifests of the newest snapshot in a snapshot of its own."""
        commit = self._table(warehouse, table, None).newBatchWriteBuilder().newCommit()
        commit.compactManifests()
        commit.close()

    def commit_nothing(self, warehouse: str, table: str) -> None:
        """Commit a snapshot without changes."""
        commit = self._table(warehouse, table, None).newBatchWriteBuilder().newCommit()
        commit.ignoreEmptyCommit(False).commit(jpype.java.util.ArrayList())
        commit.close()

    def tag(self, warehouse: str, table: str, name: str) -> None:
        """Tag the newest snapshot."""
        self._table(warehouse, table, None).createTag(name)

    def columns(self, warehouse: str, table: str) -> list[tuple[str, str]]:
        """Return name and type of each column."""
        return [(str(each.name()), str(each.type())) for each in self._table(warehouse, table, None).schema().fields()]

    def snapshots(self, warehouse: str, table: str) -> list[Mapping[str, Any]]:
        """Return id and properties of each snapshot, oldest first, and whether a compaction made it."""
        manager = self._table(warehouse, table, None).snapshotManager()
        return [
            {
                "id": int(each.id()),
                "is_compaction": str(each.commitKind()) == "COMPACT",
                "properties": {str(key): str(value) for key, value in (each.properties() or {}).items()},
            }
            for each in manager.safelyGetAllSnapshots()
        ]

    def reached(self, warehouse: str, table: str) -> list[str]:
        """Return the paths of all data files that a snapshot or a tag has, and of changelog files of snapshots."""
        opened = self._table(warehouse, table, None)
        snapshots, tagged = opened.snapshotManager().safelyGetAllSnapshots(), opened.tagManager().tags().keySet()
        found = {path for each in (*snapshots, *tagged) for path in _paths(opened.store(), each, "ALL")}
        with_changes = [each for each in snapshots if each.changelogManifestList() is not None]
        return sorted(found | {path for each in with_changes for path in _paths(opened.store(), each, "CHANGELOG")})

    def events(self, warehouse: str, table: str) -> list[list[Any]]:
        """Return the changes that a reader of the stream gets from the first snapshot on, each with its kind."""
        opened = self._table(warehouse, table, {"scan.mode": "from-snapshot", "scan.snapshot-id": "1"})
        types = [str(each.type()) for each in opened.schema().fields()]
        newest = opened.snapshotManager().latestSnapshotId()
        builder = opened.newReadBuilder()
        scan, found = builder.newStreamScan(), list[list[Any]]()
        while scan.checkpoint() is None or scan.checkpoint() <= newest:
            rows = builder.newRead().createReader(scan.plan()).toCloseableIterator()
            batch = [[str(row.getRowKind().shortString()), *self._row(row, types)] for row in rows]
            found += sorted(batch, key=str)
            rows.close()
        return found

    def lock(self, *, warehouse: str, key: str, expire_seconds: int) -> bool:
        """Try once to take a lock of a JDBC catalog, as a writer of this process does."""
        connections = self._catalog(warehouse).getConnections()
        return bool(java("jdbc.JdbcUtils").acquire(connections, key, jpype.JLong(expire_seconds * 1000)))

    def unlock(self, *, warehouse: str, key: str) -> None:
        """Release a lock of a JDBC catalog."""
        java("jdbc.JdbcUtils").release(self._catalog(warehouse).getConnections(), key)

    def use_time_zone(self, *, name: str) -> None:
        """Change the time zone of this JVM."""
        jpype.java.util.TimeZone.setDefault(jpype.java.util.TimeZone.getTimeZone(name))

    @abstractmethod
    def _table(self, warehouse: str, table: str, options: Mapping[str, str] | None) -> Any: ...

    @abstractmethod
    def _catalog(self, warehouse: str) -> Any: ...

    @abstractmethod
    def _identifier(self, table: str) -> Any: ...

    @abstractmethod
    def _type(self, written: str) -> Any: ...

    @abstractmethod
    def _row(self, row: Any, types: list[str]) -> list[Any]: ...

    def _alter(self, warehouse: str, table: str, change: Any) -> None:
        changes = jpype.java.util.Arrays.asList(change)
        self._catalog(warehouse).alterTable(self._identifier(table), changes, False)


def _paths(store: Any, snapshot: Any, mode: str) -> Iterator[str]:
    scan = store.newScan().withSnapshot(snapshot).withKind(getattr(java("table.source.ScanMode"), mode))
    for entry in scan.plan().files():
        folder = store.pathFactory().createDataFilePathFactory(entry.partition(), entry.bucket())
        yield str(Path("/" + str(folder.toPath(entry.file())).removeprefix("file:").lstrip("/")))
