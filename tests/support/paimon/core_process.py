"""The process with Paimon's Java core: reads calls from its input, one JSON document a line, and writes the answers.

    python -m tests.support.paimon.core_process <jar>…

Answers are lines `{"result": …}` or `{"error": …}`. Only this process imports JPype.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import jpype

from tests.support.jvm import SHORT_LIVED
from tests.support.paimon.core_changes import Changes, java
from tests.support.paimon.core_servers import RestServers
from tests.support.paimon.core_trees import MergeTrees
from tests.support.paimon.core_values import generic_row, java_value, partition_of, plain_field, type_of


class Core(Changes, MergeTrees, RestServers):
    """The calls, by the names of the methods."""

    def __init__(self, scratch: str) -> None:
        super().__init__(scratch)
        self._scratch = scratch
        self._catalogs: dict[str, Any] = {}
        self._stores: dict[str, Mapping[str, str]] = {}
        self._lost: Any = None

    def use_store(self, *, warehouse: str, options: Mapping[str, str]) -> None:
        """Use options of an object store for a warehouse from now on."""
        self._stores[warehouse] = options
        self._catalogs.pop(warehouse, None)

    def close(self, *, warehouse: str) -> None:
        """Close the catalog of a warehouse, if it is open."""
        self._stores.pop(warehouse, None)
        if (catalog := self._catalogs.pop(warehouse, None)) is not None:
            catalog.close()

    def create(
        self,
        *,
        warehouse: str,
        table: str,
        columns: Sequence[tuple[str, str]],
        partition_keys: Sequence[str],
        primary_keys: Sequence[str],
        options: Mapping[str, str],
    ) -> None:
        schema = java("schema.Schema").newBuilder()
        for name, kind in columns:
            schema.column(name, type_of(kind))
        schema.partitionKeys(*partition_keys)
        schema.primaryKey(*primary_keys)
        for name, value in options.items():
            schema.option(name, value)
        catalog = self._catalog(warehouse)
        catalog.createDatabase("lake", True)
        catalog.createTable(_identifier(table), schema.build(), False)

    def write(
        self,
        *,
        warehouse: str,
        table: str,
        rows: Sequence[Sequence[Any]],
        kinds: str = "",
        options: Mapping[str, str] | None = None,
        overwrite: Mapping[str, str] | None = None,
        buckets: int = 0,
        is_lost: bool = False,
    ) -> None:
        """Commit rows; `kinds` has a letter of +I, -D for each; `buckets`: of a dynamic table, by the first column.

        `is_lost`: the writer leaves its files and does not commit; see `commit_lost`.
        """
        opened = self._table(warehouse, table, options)
        types = [each.type() for each in opened.schema().fields()]
        builder = opened.newBatchWriteBuilder()
        if overwrite is not None:
            builder = builder.withOverwrite(jpype.java.util.HashMap(dict(overwrite)))
        write, commit = builder.newWrite(), builder.newCommit()
        write.withIOManager(java("disk.IOManagerImpl")(self._scratch))
        for at, values in enumerate(rows):
            row = generic_row(values, types)
            if kinds and kinds[at] == "D":
                row.setRowKind(java("types.RowKind").DELETE)
            if buckets:
                write.write(row, int(values[0]) % buckets)
            else:
                write.write(row)
        messages = write.prepareCommit()
        if is_lost:
            self._lost = messages
        else:
            commit.commit(messages)
        write.close()
        commit.close()

    def commit_lost(self, warehouse: str, table: str) -> None:
        """Commit what the last write left that did not commit."""
        commit = self._table(warehouse, table, None).newBatchWriteBuilder().newCommit()
        commit.commit(self._lost)
        commit.close()

    def write_at_once(self, *, warehouse: str, table: str, rows: Sequence[Sequence[Sequence[Any]]]) -> None:
        """Commit rows of several writers that began with the same snapshot: their sequence numbers overlap."""
        opened = self._table(warehouse, table, None)
        types = [each.type() for each in opened.schema().fields()]
        builders = [opened.newBatchWriteBuilder() for _ in rows]
        writes = [each.newWrite() for each in builders]
        for write, own in zip(writes, rows, strict=True):
            for values in own:
                write.write(generic_row(values, types))
        for builder, messages in zip(builders, [each.prepareCommit() for each in writes], strict=True):
            builder.newCommit().commit(messages)

    def compact(self, warehouse: str, table: str, full: bool, options: Mapping[str, str] | None = None) -> None:
        opened = self._table(warehouse, table, options)
        builder = opened.newBatchWriteBuilder()
        write, commit = builder.newWrite(), builder.newCommit()
        write.withIOManager(java("disk.IOManagerImpl")(self._scratch))
        write.getWrite().withIgnoreNumBucketCheck(True)
        for each in opened.newSnapshotReader().bucketEntries():
            write.compact(each.partition(), each.bucket(), full)
        commit.commit(write.prepareCommit())
        write.close()
        commit.close()

    def compact_unaware(self, warehouse: str, table: str) -> None:
        """Compact an append table without buckets."""
        opened = self._table(warehouse, table, {"compaction.min.file-num": "2"})
        coordinator = java("append.AppendCompactCoordinator")(opened, False)
        builder = opened.newBatchWriteBuilder()
        store_write = opened.store().newWrite("compactor")
        messages = jpype.java.util.ArrayList()
        try:
            for task in coordinator.run():
                messages.add(task.doCompact(opened, store_write))
        except java("table.source.EndOfScanException"):
            pass
        commit = builder.newCommit()
        commit.commit(messages)
        commit.close()

    def delete(self, warehouse: str, table: str, every: int) -> None:
        """Delete every n-th row of each file of an append table without buckets, by deletion vectors."""
        opened = self._table(warehouse, table, None)
        maker = java("deletionvectors.append.BaseAppendDeleteFileMaintainer")
        handler = opened.store().newIndexFileHandler()
        snapshot = opened.snapshotManager().latestSnapshot()
        found: dict[Any, tuple[Any, list[Any]]] = {}
        for entry in opened.store().newScan().plan().files():
            found.setdefault(int(entry.partition().hashCode()), (entry.partition(), []))[1].append(entry.file())
        messages = jpype.java.util.ArrayList()
        for partition, files in found.values():
            maintainer = maker.forUnawareAppend(handler, snapshot, partition)
            for file in files:
                vector = java("deletionvectors.BitmapDeletionVector")()
                for position in range(0, int(file.rowCount()), every):
                    vector.delete(position)
                maintainer.notifyNewDeletionVector(file.fileName(), vector)
            indexes = jpype.java.util.ArrayList()
            gone = jpype.java.util.ArrayList()
            for each in maintainer.persist():
                (indexes if str(each.kind()) == "ADD" else gone).add(each.indexFile())
            empty = jpype.java.util.Collections.emptyList()
            increment = java("io.DataIncrement")(empty, empty, empty, indexes, gone)
            message = java("table.sink.CommitMessageImpl")(
                partition, 0, None, increment, java("io.CompactIncrement").emptyIncrement()
            )
            messages.add(message)
        commit = opened.newBatchWriteBuilder().newCommit()
        commit.commit(messages)
        commit.close()

    def ids(self, warehouse: str, table: str) -> list[int]:
        """Return the first column of all rows, a BIGINT, sorted."""
        builder = self._table(warehouse, table, None).newReadBuilder()
        rows = builder.newRead().createReader(builder.newScan().plan()).toCloseableIterator()
        found = sorted(int(row.getLong(0)) for row in rows)
        rows.close()
        return found

    def values(self, warehouse: str, table: str, options: Mapping[str, str] | None = None) -> list[list[Any]]:
        """Return all rows, sorted, as the core's reader merges them."""
        return _rows(self._table(warehouse, table, options))

    def in_order(self, warehouse: str, table: str) -> list[list[list[Any]]]:
        """Return the rows of each bucket of a table without partitions, in the order in which a reader gets them."""
        opened = self._table(warehouse, table, None)
        types = [str(each.type()) for each in opened.schema().fields()]
        found: dict[int, list[list[Any]]] = {}
        for split in opened.newSnapshotReader().read().splits():
            rows = java("reader.RecordReaderIterator")(opened.newRead().createReader(split))
            while rows.hasNext():
                found.setdefault(int(split.bucket()), []).append(partition_of(rows.next(), types))
            rows.close()
        return [found[bucket] for bucket in sorted(found)]

    def matching(
        self,
        warehouse: str,
        table: str,
        tests: Sequence[tuple[int, str, Any]],
        columns: int = 1,
        options: Mapping[str, str] | None = None,
    ) -> Sequence[Sequence[Sequence[Any]]]:
        """Return the rows, sorted, that match each test: number of a column, method of `PredicateBuilder`, value.

        Of each row, the first columns are returned, one by default, or all with 0.
        """
        opened = self._table(warehouse, table, options)
        rows, types = opened.rowType(), [each.type() for each in opened.schema().fields()]
        made, found = java("predicate.PredicateBuilder")(rows), []
        for column, method, value in tests:
            given = () if method in ("isNull", "isNotNull") else (java_value(value, types[column]),)
            builder = opened.newReadBuilder().withFilter(getattr(made, method)(column, *given))
            reader = builder.newRead().executeFilter().createReader(builder.newScan().plan()).toCloseableIterator()
            found.append(
                sorted(
                    ([plain_field(row, types, at) for at in range(columns or len(types))] for row in reader), key=str
                )
            )
            reader.close()
        return found

    def statistics(self, warehouse: str, table: str) -> Mapping[str, Any]:
        """Return null count, lower and upper bound of the columns that have some, by file and name."""
        opened = self._table(warehouse, table, None)
        found = {}
        for entry in opened.store().newScan().plan().files():
            file = entry.file()
            rows = opened.schemaManager().schema(file.schemaId()).logicalRowType()
            if file.valueStatsCols() is not None:
                rows = rows.project(file.valueStatsCols())
            types = [each.type() for each in rows.getFields()]
            stats = file.valueStats()
            found[str(file.fileName())] = {
                str(rows.getFieldNames()[at]): [
                    None if stats.nullCounts().isNullAt(at) else int(stats.nullCounts().getLong(at)),
                    plain_field(stats.minValues(), types, at),
                    plain_field(stats.maxValues(), types, at),
                ]
                for at in range(len(types))
            }
        return found

    def history(self, warehouse: str, table: str) -> Mapping[str, Any]:
        """Return all rows of every snapshot, tag and branch, and the changes of every snapshot but the oldest."""
        opened = self._table(warehouse, table, None)
        snapshots = sorted(int(each.id()) for each in opened.snapshotManager().safelyGetAllSnapshots())
        tags = sorted(str(each) for each in opened.tagManager().allTagNames())
        found: dict[str, Any] = {}
        for each in snapshots:
            found[f"snapshot {each}"] = self.values(warehouse, table, {"scan.snapshot-id": str(each)})
        for each in tags:
            found[f"tag {each}"] = self.values(warehouse, table, {"scan.tag-name": each})
        for each in sorted(str(each) for each in opened.branchManager().branches()):
            found[f"branch {each}"] = _rows(opened.switchToBranch(each))
        for before, each in pairwise(snapshots):
            found[f"changes {each}"] = self.values(warehouse, table, {"incremental-between": f"{before},{each}"})
        earliest = opened.snapshotManager().earliestSnapshotId()
        return {"rows": found, "earliest": None if earliest is None else int(earliest)}

    def fill(self, warehouse: str, table: str, rows: int, text_bytes: int, seed: int) -> None:
        """Commit rows (id BIGINT, text STRING) with texts that don't compress below half their size."""
        chance = Random(seed)
        builder = self._table(warehouse, table, None).newBatchWriteBuilder()
        write, commit = builder.newWrite(), builder.newCommit()
        write.withIOManager(java("disk.IOManagerImpl")(self._scratch))
        row = java("data.GenericRow")(2)
        for number in range(rows):
            row.setField(0, jpype.JLong(number))
            text = chance.randbytes(text_bytes // 2).hex().encode()
            row.setField(1, java("data.BinaryString").fromBytes(jpype.JArray(jpype.JByte)(text)))
            write.write(row)
        commit.commit(write.prepareCommit())
        write.close()
        commit.close()

    def inspect(self, warehouse: str, table: str) -> Mapping[str, Any]:
        """Return live files, buckets and deletion vectors of the newest snapshot, as the core reads them."""
        opened = self._table(warehouse, table, None)
        store, snapshot = opened.store(), opened.snapshotManager().latestSnapshot()
        vectors: dict[str, int] = {}
        if snapshot is not None:
            for each in store.newIndexFileHandler().scan(snapshot, "DELETION_VECTORS"):
                ranges = each.indexFile().dvRanges()
                vectors |= {str(entry.getKey()): int(entry.getValue().cardinality()) for entry in ranges.entrySet()}
        types = [str(each.type()) for each in opened.schema().fields()]
        names = [str(each.name()) for each in opened.schema().fields()]
        kinds = [types[names.index(str(key))] for key in opened.partitionKeys()]
        files = [] if snapshot is None else store.newScan().plan().files()
        buckets = [] if snapshot is None else opened.newSnapshotReader().bucketEntries()
        return {
            "snapshot": None if snapshot is None else int(snapshot.id()),
            "rows": 0 if snapshot is None else int(snapshot.totalRecordCount()),
            "schema": int(opened.schema().id()),
            "files": [_file(store, each, kinds, vectors) for each in files],
            "buckets": [
                [
                    partition_of(each.partition(), kinds),
                    int(each.bucket()),
                    int(each.fileCount()),
                    int(each.recordCount()),
                    int(each.fileSizeInBytes()),
                ]
                for each in buckets
            ],
        }

    def sorted_runs(self, warehouse: str, table: str) -> Mapping[str, Any]:
        """Return the sorted runs of each bucket of a key table as its merge tree counts them, and its triggers."""
        opened = self._table(warehouse, table, None)
        store, options = opened.store(), opened.coreOptions()
        found: dict[tuple[str, int], Any] = {}
        for entry in store.newScan().plan().files():
            partition = partition_of(entry.partition(), ["STRING"])
            _, files = found.setdefault((str(partition), int(entry.bucket())), (partition, jpype.java.util.ArrayList()))
            files.add(entry.file())
        levels = java("mergetree.Levels")
        buckets = [
            [partition, bucket, int(levels(store.newKeyComparator(), files, options.numLevels()).numberOfSortedRuns())]
            for (_, bucket), (partition, files) in found.items()
        ]
        trigger, stop = options.numSortedRunCompactionTrigger(), options.numSortedRunStopTrigger()
        return {"buckets": buckets, "trigger": int(trigger), "stop_trigger": int(stop)}

    def _catalog(self, warehouse: str) -> Any:
        if warehouse not in self._catalogs:
            options = java("options.Options")()
            options.set("warehouse", warehouse)
            options.set("cache-enabled", "false")
            for name, value in self._stores.get(warehouse, {}).items():
                options.set(name, value)
            context = java("catalog.CatalogContext").create(options)
            self._catalogs[warehouse] = java("catalog.CatalogFactory").createCatalog(context)
        return self._catalogs[warehouse]

    def _table(self, warehouse: str, table: str, options: Mapping[str, str] | None) -> Any:
        opened = self._catalog(warehouse).getTable(_identifier(table))
        return opened.copy(jpype.java.util.HashMap(dict(options))) if options else opened

    def _identifier(self, table: str) -> Any:
        return _identifier(table)

    def _type(self, written: str) -> Any:
        return type_of(written)

    def _row(self, row: Any, types: list[str]) -> list[Any]:
        return partition_of(row, types)


def _rows(opened: Any) -> list[list[Any]]:
    types = [str(each.type()) for each in opened.rowType().getFields()]
    builder = opened.newReadBuilder()
    rows = builder.newRead().createReader(builder.newScan().plan()).toCloseableIterator()
    found = [partition_of(row, types) for row in rows]
    rows.close()
    return sorted(found, key=str)


def _identifier(table: str) -> Any:
    return java("catalog.Identifier").create("lake", table)


def _file(store: Any, entry: Any, kinds: Sequence[str], vectors: Mapping[str, int]) -> Mapping[str, Any]:
    file, partition, bucket = entry.file(), entry.partition(), entry.bucket()
    path = store.pathFactory().createDataFilePathFactory(partition, bucket).toPath(file)
    return {
        "path": str(path),
        "partition": partition_of(partition, kinds),
        "bucket": int(bucket),
        "level": int(file.level()),
        "file_bytes": int(file.fileSize()),
        "record_count": int(file.rowCount()),
        "min_sequence": int(file.minSequenceNumber()),
        "file_format": str(file.fileFormat()),
        "vector": vectors.get(str(file.fileName())),
        "total_buckets": int(entry.totalBuckets()),
    }


def main(jars: Sequence[str]) -> None:
    answers = sys.stdout
    sys.stdout = sys.stderr
    # -Xrs: signals end the process at once; a JVM that shuts down during a call of JPype crashes in native code
    jpype.startJVM("-Xmx512m", "-XX:+UseSerialGC", "-Xrs", *SHORT_LIVED, classpath=list(jars))
    with TemporaryDirectory() as scratch:
        core = Core(scratch)
        for line in sys.stdin:
            print(json.dumps(_answer(core, json.loads(line))), file=answers, flush=True)


def _answer(core: Core, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return {"result": getattr(core, asked["call"])(**asked["arguments"])}
    except Exception as error:  # noqa: BLE001 - the caller's test fails with it
        stack = error.stacktrace() if isinstance(error, jpype.JException) else repr(error)
        return {"error": str(stack)[:4000]}


if __name__ == "__main__":
    main(sys.argv[1:])
