"""Commit messages for files that the kernel wrote: Paimon's core describes them as if it had written them itself.

Statistics are those that the core reads from a file's footer, by the table's `metadata.stats-mode`, without those that
the footer does not allow for: the core joins the bounds of row groups even if one of them has none.
"""

import base64
from dataclasses import dataclass
from typing import Any, Final

from engine.formats.paimon.task.tables import live_entries, named_entries

_PARQUET: Final = "parquet"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A Parquet file that the kernel wrote to the folder of its bucket.

    `unbounded`: columns whose bounds are not those of every row. `unknown`: columns whose nulls are not counted either.
    """

    name: str
    file_bytes: int
    record_count: int
    unbounded: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """Files of one bucket of an append table, and those that replace them, in the order of their rows.

    `partition`: its binary row, base 64. `bucket`: its number, 0 in a table without buckets. `inputs`: names.
    `schema_id`: the table's schema that the outputs have.
    """

    partition: str
    bucket: int
    inputs: tuple[str, ...]
    outputs: tuple[WrittenFile, ...]
    schema_id: int

    @staticmethod
    def from_raw(raw: "dict[str, Any]") -> "Replacement":
        """Return the replacement from its JSON form."""
        outputs = (
            WrittenFile(**{**each, "unbounded": tuple(each["unbounded"]), "unknown": tuple(each["unknown"])})
            for each in raw["outputs"]
        )
        return Replacement(raw["partition"], raw["bucket"], tuple(raw["inputs"]), tuple(outputs), raw["schema_id"])


class Replacer:
    """Makes the commit messages of replacements in an opened table.

    Args:
        jvm: the root of Java packages.
        table: as `tables.open_table` returns it.
    """

    def __init__(self, jvm: Any, table: Any) -> None:
        self._jvm, self._table = jvm, table
        self._paimon = jvm.org.apache.paimon
        self._live: dict[tuple[str, int], dict[str, Any]] = {}
        self._describers: dict[int, _Describer] = {}

    def message(self, replacement: Replacement) -> Any:
        """Return the commit message of a replacement.

        Raises:
            InputFault: an input is no longer a file of the newest snapshot.
        """
        row = base64.b64decode(replacement.partition, validate=True)
        partition = self._paimon.utils.SerializationUtils.deserializeBinaryRow(row)
        inputs = self._inputs(replacement, partition)
        before = self._jvm.java.util.ArrayList()
        for each in inputs:
            before.add(each.file())
        after = self._jvm.java.util.ArrayList()
        number = int(before.get(0).minSequenceNumber())
        folder = self._table.store().pathFactory().bucketPath(partition, replacement.bucket)
        for file in replacement.outputs:
            path = self._paimon.fs.Path(folder, file.name)
            after.add(self._describer(replacement.schema_id).describe(file, path, first_number=number))
            number += file.record_count
        nothing = self._jvm.java.util.ArrayList()
        return self._paimon.table.sink.CommitMessageImpl(
            partition,
            replacement.bucket,
            inputs[0].totalBuckets(),  # of the partition, which the table's option may not be the number of any more
            self._paimon.io.DataIncrement.emptyIncrement(),
            self._paimon.io.CompactIncrement(before, after, nothing),
        )

    def _inputs(self, replacement: Replacement, partition: Any) -> list[Any]:
        place = replacement.partition, replacement.bucket
        if place not in self._live:
            self._live[place] = live_entries(self._table, partition, replacement.bucket)
        return named_entries(self._live[place], replacement.inputs)

    def _describer(self, schema_id: int) -> "_Describer":
        if schema_id not in self._describers:
            self._describers[schema_id] = _Describer(self._paimon, self._table, schema_id)
        return self._describers[schema_id]


class _Describer:
    """Describes files of one schema of a table."""

    def __init__(self, paimon: Any, table: Any, schema_id: int) -> None:
        self._paimon, self._schema_id, self._store = paimon, schema_id, table.fileIO()
        options, rows = table.coreOptions(), table.schemaManager().schema(schema_id).logicalRowType()
        names = rows.getFieldNames()
        self._places = {str(name): at for at, name in enumerate(names)}
        modes = paimon.utils.StatsCollectorFactories.createStatsFactories(options.statsMode(), options, names)
        parquet = paimon.format.FileFormat.fromIdentifier(_PARQUET, options.toConfiguration())
        self._extractor = parquet.createStatsExtractor(rows, modes).get()
        self._converter = paimon.stats.SimpleStatsConverter(rows, options.statsDenseStore())

    def describe(self, file: WrittenFile, path: Any, *, first_number: int) -> Any:
        """Return what the table's metadata has of a file; its rows get sequence numbers from `first_number` on.

        `path`: where readers will look for it.
        """
        found = self._extractor.extract(self._store, path, file.file_bytes)
        for name in file.unbounded:
            at = self._places[name]
            found[at] = self._paimon.format.SimpleColStats(None, None, found[at].nullCount())
        for name in file.unknown:
            found[self._places[name]] = self._paimon.format.SimpleColStats(None, None, None)
        columns = self._converter.toBinary(found)
        return self._paimon.io.DataFileMeta.forAppend(
            path.getName(),
            file.file_bytes,
            file.record_count,
            columns.getRight(),
            first_number,
            first_number + file.record_count - 1,
            self._schema_id,
            [],
            None,
            self._paimon.manifest.FileSource.COMPACT,
            columns.getLeft(),
            None,
            None,
            None,
        )
