"""Random partitioned tables of a Metastore, written by pyarrow, DuckDB and Spark, and which partitions are refused."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from engine.formats.hive.metadata.parameters import TABLE
from engine.formats.intake.parameters import Parameter
from tests.support.hive.lakes import NULL, HiveLake, HiveTable, path_of
from tests.support.hive.random_values import ID, KEYS, KINDS, ODD_KEYS, Kind
from tests.support.hive.second_readers import HiveSpark

_FILE_NAMES: Final = ("part-{}.parquet", "{:06}_0", "a b %41 #{}.parquet", "ü-{}.PARQUET", "x={}.c000.snappy.parquet")
_COLUMN_NAMES: Final = ("order", "größe", "a b", "x.y", "c5", "c6", "c7", "c8")
_ELSEWHERE: Final = ("elsewhere/{}", "Elsewhere ü %41 #{}", "_hidden/{}", "day=2026-11-01/{}")
_NAME: Final = "events"
_VALUES: Final[Mapping[str, str]] = {
    "COLUMN_STATS_ACCURATE": "{}",
    "parquet.compression": "gzip",
    "parquet.writer.version": "PARQUET_1_0",
    **dict.fromkeys(("parquet.page.size", "parquet.dictionary.page.size", "parquet.block.size"), "1048576"),
    "skip.header.line.count": "0",
    "skip.footer.line.count": "0",
    "serialization.null.format": "-",
}
"""Values that mean something to the Metastore or to Spark; those of other parameters are not read by them."""
_OF_READERS: Final = {
    *("EXTERNAL", "external.table.purge", "packhouse.compaction", "clusteringColumns", "collation", "storage_handler"),
    *("transactional*", "spark.sql.*"),
}
"""Parameters by which the readers of these tests, or tests of their own, go."""
_UNKNOWN: Final = "dq.rule"
LISTED: Final = [each for each in TABLE if not any(fnmatchcase(each.name, one) for one in _OF_READERS)]
FORBIDDING: Final[Mapping[str, str]] = {
    **{each.name.replace("*", "x"): "true" for each in LISTED if each.accepted is not None},
    _UNKNOWN: "x",
}
"""Parameters with values by which some reader finds other rows, or that no one knows: the table is left alone."""
_LONGEST_NAME: Final = 255
"""Limit of the bytes in the name of a folder on Linux."""
_ABSENT_ID: Final = -1
"""The id of rows in files that no reader reads."""


@dataclass
class RandomTable:
    """A table with the kinds of its columns by name, the types of its keys, and the number of its rows.

    `refused`: the reason by the texts of a partition's keys, for partitions whose files can't be merged. `unsure`: the
    same for partitions that may be left alone. `forbidden`: a parameter by which the whole table is; empty without one.
    """

    table: HiveTable
    chance: Random
    columns: Mapping[str, Kind]
    keys: Mapping[str, str]
    rows: int = 0
    refused: dict[tuple[str, ...], str] = field(default_factory=dict)
    unsure: dict[tuple[str, ...], str] = field(default_factory=dict)
    forbidden: str = ""

    def partition_files(self) -> Mapping[tuple[str, ...], Sequence[Path]]:
        """Return the data files of each partition where the Metastore locates it."""
        found = self.table.partitions()
        return {tuple(each.values): data_files(path_of(each.sd.location)) for each in found}


def data_files(folder: Path) -> list[Path]:
    """Return the files of a folder that Spark reads: neither hidden nor empty."""
    files = [each for each in sorted(folder.glob("*")) if each.is_file() and each.stat().st_size]
    return [each for each in files if not each.name.startswith(("_", ".")) and not each.name.endswith("._COPYING_")]


def random_table(chance: Random, lake: HiveLake, spark: HiveSpark) -> RandomTable:
    """Create a table, register its partitions, and write files in them."""
    kinds = chance.sample(KINDS, chance.randrange(1, 7))
    names = chance.sample(_COLUMN_NAMES, len(kinds))
    columns = {"id": ID, **dict(zip(names, kinds, strict=True))}
    keys = {f"k{at}": kind for at, kind in enumerate(chance.choices(list(KEYS), k=chance.choice((1, 1, 2, 3))))}
    late = chance.randrange(1, len(columns) + 1)
    declared = [(name, kind.hive) for name, kind in columns.items()]
    is_sparks = chance.random() < 0.3
    if is_sparks:
        _create_by_spark(lake, spark, declared[:late], keys)
    else:
        lake.create_table(columns=declared[:late], keys=list(keys.items()))
    spark.rows(f"REFRESH TABLE {lake.database}.{_NAME}")  # it knows an earlier table of this name
    made = RandomTable(lake.table(_NAME), chance, columns, keys)
    features = Random(str(declared))
    made.forbidden = _add_parameters(made.table, features)
    writer = _Writer(made, spark, inserts=chance.random() < 0.6)
    writer.add_partitions()
    writer.write_files(list(columns)[:late])
    if declared[late:]:
        if is_sparks:
            spark.rows(f"ALTER TABLE {lake.database}.{_NAME} ADD COLUMNS ({_listed(declared[late:])})")
        else:
            made.table.add_columns(*declared[late:])
        writer.write_files(list(columns))
    if writer.inserts:
        writer.write_by_spark()
    writer.write_clutter()
    writer.predict_refusals()
    _mark_partitions(made, features)
    return made


def _add_parameters(table: HiveTable, chance: Random) -> str:
    """Add parameters of the list; return one by which the table is left alone, mostly none.

    No reader of these tests goes by any of them.
    """
    chosen = {each.name.replace("*", "x"): _value(each) for each in chance.sample(LISTED, chance.randrange(7))}
    with table.metastore.client() as client:
        changed = client.get_table(table.database, table.name)
        changed.parameters |= {name: value for name, value in chosen.items() if value}
        forbidden = chance.choice(list(FORBIDDING)) if chance.random() < 0.12 else ""
        if forbidden:
            changed.parameters[forbidden] = FORBIDDING[forbidden]
        client.alter_table(table.database, table.name, changed)
    return forbidden


def _value(listed: Parameter) -> str:
    """Return a value with which a table is rewritten; empty if there is none."""
    return _VALUES.get(listed.name, "1" if listed.accepted is None else max(listed.accepted, default=""))


def _mark_partitions(made: RandomTable, chance: Random) -> None:
    """Give some partitions a parameter that is not known: they are left out, and the others are rewritten."""
    for stored in made.table.partitions():
        if chance.random() < 0.1:
            stored.parameters = {**(stored.parameters or {}), _UNKNOWN: "x"}
            with made.table.metastore.client() as client:
                client.alter_partition(made.table.database, made.table.name, stored)
            made.refused[tuple(stored.values)] = f"not that of plain data files|{_UNKNOWN}"


def _create_by_spark(
    lake: HiveLake, spark: HiveSpark, columns: Sequence[tuple[str, str]], keys: Mapping[str, str]
) -> None:
    """Create a table of Spark's own Parquet source, whose schema Spark reads from the table's parameters."""
    every = _listed([*columns, *keys.items()])
    place = f"PARTITIONED BY ({', '.join(keys)}) LOCATION '{lake.root / _NAME}'"
    spark.rows(f"CREATE EXTERNAL TABLE {lake.database}.{_NAME} ({every}) USING parquet {place}")


def _listed(columns: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


@dataclass
class _Writer:
    made: RandomTable
    spark: HiveSpark
    inserts: bool
    spellings: dict[Path, Callable[[str], str]] = field(default_factory=dict)

    def add_partitions(self) -> None:
        """Register partitions with random values, each in its default folder or in another one of the table."""
        made, chance = self.made, self.made.chance
        values = {}
        for _ in range(chance.randrange(1, 5)):
            texts = tuple(map(self._key_text, made.keys.values()))
            values[tuple(each or NULL for each in texts)] = texts  # they have the same name in the Metastore
        for number, each in enumerate(sorted(values.values())):
            folder = made.table.default_location(each)
            if chance.random() < 0.3 or max(len(part.encode()) for part in folder.parts) > _LONGEST_NAME:
                folder = made.table.folder / chance.choice(_ELSEWHERE).format(number)
            folder.mkdir(parents=True)
            made.table.add_partition(each, folder)
            self.spellings[folder] = str.title if chance.random() < 0.15 else str

    def _key_text(self, kind: str) -> str:
        chance = self.made.chance
        odd = () if self.inserts else ODD_KEYS.get(kind, ())
        return NULL if chance.random() < 0.15 else chance.choice((*KEYS[kind], *odd * 3))

    def write_files(self, names: Sequence[str]) -> None:
        """Write files with these columns, some of which lack some."""
        chance = self.made.chance
        for folder, spelling in self.spellings.items():
            for _ in range(chance.randrange(0, 4)):
                some = [each for each in names if each == "id" or chance.random() < 0.9]
                if chance.random() < 0.3:
                    chance.shuffle(some)
                rows = self._rows(some, chance.choice((1, 5, 20)))
                if chance.random() < 0.9:
                    rows = rows.rename_columns([spelling(each) for each in some])
                if chance.random() < 0.03:
                    rows = rows.append_column("unknown", pa.nulls(rows.num_rows, pa.int32()))
                name = chance.choice(_FILE_NAMES).format(self.made.rows)
                _store(rows, folder / name, chance)

    def write_by_spark(self) -> None:
        """Insert rows into all partitions by one statement of Spark."""
        made, chance = self.made, self.made.chance
        parts = []
        for partition in made.table.partitions():
            rows = self._rows(list(made.columns), chance.choice((1, 10)))
            for key, text in zip(made.keys, partition.values, strict=True):
                rows = rows.append_column(key, pa.array([None if text == NULL else text] * rows.num_rows, pa.string()))
            parts.append(rows)
        session = self.spark.session
        session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        session.createDataFrame(pa.concat_tables(parts)).createOrReplaceTempView("written")
        chosen = [f"`{name}`" for name in made.columns]
        chosen += [f"CAST({name} AS {kind}) AS {name}" for name, kind in made.keys.items()]
        hints = f"/*+ REPARTITION({chance.choice((1, 3))}) */"
        table = f"{made.table.database}.{made.table.name}"
        try:
            session.sql(f"INSERT INTO {table} SELECT {hints} {', '.join(chosen)} FROM written").collect()
        finally:
            session.conf.unset("spark.sql.parquet.outputTimestampType")

    def write_clutter(self) -> None:
        """Put files into folders of partitions that no engine reads; they have rows with the id -1."""
        chance = self.made.chance
        poison = pa.table({"id": pa.array([_ABSENT_ID], pa.int64())})
        for folder in self.spellings:
            for name in ("_SUCCESS", "zero.parquet", ".unfinished.crc"):
                if chance.random() < 0.4:
                    (folder / name).touch()
            for name in ("_temporary/0/part-0.parquet", ".hidden.parquet", "part-0.parquet._COPYING_", "_metadata"):
                if chance.random() < 0.3:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    pq.write_table(poison, folder / name)

    def predict_refusals(self) -> None:
        """Note the partitions whose files can't be merged, and those whose files may be refused."""
        for values, files in self.made.partition_files().items():
            found: dict[str, set[str]] = defaultdict(set)
            for each in files:
                for name in pq.read_schema(each).names:
                    found[name.lower()].add(name)
            reasons = ["files spell a column"] if any(len(each) > 1 for each in found.values()) else []
            reasons += ["which the table does not have"] if "unknown" in found else []
            reasons += [] if all(map(_is_read_by_arrow, files)) else ["InputFault"]
            differences = _differences(files)
            if reasons:
                self.made.refused[values] = "|".join(reasons + differences)
            else:
                self.made.unsure[values] = "|".join(differences)

    def _rows(self, names: Sequence[str], count: int) -> pa.Table:
        made, chance = self.made, self.made.chance
        columns = []
        for name in names:
            kind, nulls = made.columns[name], chance.choice((0.0, 0.2, 0.2, 1.0))
            values = [None if chance.random() < nulls else kind.make(chance) for _ in range(count)]
            if name == "id":
                values = list(range(made.rows, made.rows + count))
            columns.append(pa.array(values, kind.arrow))
        made.rows += count
        return pa.table(columns, names=list(names))


def _differences(files: Sequence[Path]) -> list[str]:
    """Return reasons to leave files alone that readers find alike: their writers' Arrow types, their calendars."""
    types, writers = defaultdict[str, set[str]](set), set[bool]()
    for each in files:
        for column in pq.read_schema(each):
            types[column.name].add(str(column.type))
            if pa.types.is_temporal(column.type):
                writers.add(b"org.apache.spark.version" in (pq.read_metadata(each).metadata or {}))
    differ = ["in one file and .* in another"] if any(len(each) > 1 for each in types.values()) else []
    return [*differ, *(["use different calendars or time zones"] if len(writers) > 1 else [])]


def _is_read_by_arrow(path: Path) -> bool:
    """Return False for files of DuckDB with the least integers in pages of version 2, which Arrow does not decode."""
    try:
        pq.ParquetFile(path).read()
    except OSError:
        return False
    return True


def _store(rows: pa.Table, path: Path, chance: Random) -> None:
    """Write a file that Spark reads: no booleans in pages of version 2, and no floats in those of DuckDB."""
    by_duckdb = chance.random() < 0.3
    is_old = any(each in str(rows.schema) for each in ("bool", *(("float", "double") if by_duckdb else ())))
    pages = "1.0" if is_old else chance.choice(("1.0", "2.0"))
    if by_duckdb:
        _store_by_duckdb(rows, path, pages, chance)
        return
    stores_schema = chance.random() < 0.5
    if stores_schema:
        rows = _as_by_another_library(rows, chance)
    options: dict[str, Any] = {
        "compression": chance.choice(("zstd", "snappy", "gzip", "none", "lz4")),
        "use_dictionary": chance.choice((True, False)),
        "data_page_version": pages,
        "row_group_size": chance.choice((1, 7, 1000)),
        "data_page_size": chance.choice((64, 2**20)),
        "dictionary_pagesize_limit": chance.choice((16, 2**20)),  # 16: dictionary pages, then plain ones
        "write_statistics": chance.random() < 0.8,
        "store_schema": stores_schema,
        "write_page_index": chance.random() < 0.3,
        "store_decimal_as_integer": chance.random() < 0.3,
    }
    pq.write_table(rows, path, **options)


def _as_by_another_library(rows: pa.Table, chance: Random) -> pa.Table:
    """Return rows with the Arrow types of pandas or Polars: the schema of a file has them, its columns are the same."""
    types = chance.choice(
        (
            {},
            {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()},
            {pa.string(): pa.dictionary(pa.int32(), pa.large_string())},
            {
                pa.timestamp("us", "UTC"): pa.timestamp("us", "Asia/Tokyo"),
                pa.list_(pa.int32()): pa.large_list(pa.int32()),
            },
        )
    )
    return rows.cast(pa.schema([each.with_type(types.get(each.type, each.type)) for each in rows.schema]))


def _store_by_duckdb(rows: pa.Table, path: Path, pages: str, chance: Random) -> None:
    codec = chance.choice(("zstd", "snappy", "uncompressed", "gzip"))
    options = f"FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION v{pages[0]}"
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        connection.execute(f"COPY (SELECT * FROM rows) TO '{path}' ({options})")
