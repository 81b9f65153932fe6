"""B28: rewrite 10,000 Puffin files of deletion vectors, of which a fifth of the blobs are live, beside Iceberg.

The table of format version 3 has Puffin files of five vectors each, as a stream of deletes leaves them: of one the data
file is live and has no later vector, three were replaced by later ones, and that of one belongs to a data file which
was removed. Iceberg's `rewrite_position_delete_files` takes no vectors, so its table is of version 2: as many
position-delete files, each of one data file, with the same live deletes. `ours v2` is Packhouse on that table.

Tables are in an object store in memory (`tests/support/store_server.py`), which counts requests; data files are not
there, as no contender reads any. Packhouse is measured over HTTP, from the trigger to the verified commit. CPU seconds
are those of a control group without the store. Contenders alternate, after a round on a small table.

    python -m bench.delete_files [--files 10000] [--partitions 50] [--rows 100] [--rounds 2] [--json deletes.json]

Goals: a tenth of the procedure's CPU seconds; at most 1.2 requests for a Puffin file.
"""

import argparse
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry, ManifestEntryStatus, ManifestFile
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.typedef import Record

from bench.cpu import counted_cpu
from bench.facts import machine_facts, print_table, write_json
from bench.lake import CATALOG, ICEBERG_AWS, NAMESPACE, Lake, spark_name
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot
from engine.formats.iceberg.commits.tries import Proposal
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.upkeep.deletes.files import data_file_of, parquet_of
from engine.formats.iceberg.upkeep.deletes.positions import Positions
from engine.formats.iceberg.upkeep.deletes.puffin_files import VectorBlob, encoded, puffin_of, vector_files
from tests.support.store_server import BUCKET, StoreServer, store_server

BLOBS: Final = 5
"""Vectors of a Puffin file: one is live, one is of a removed data file, the others were replaced."""
ROWS_OF_FILE: Final = 100_000
ENTRIES: Final = 500
"""Entries of a manifest."""
POLICY: Final = {"interval": "1d", "at_least_files": 1}
RUN_ID: Final = "run_0000000000000000000000load"


@dataclass(frozen=True, slots=True)
class Shape:
    """A table: its delete files, the partitions that they are spread over, and the deleted rows of each data file."""

    files: int
    partitions: int
    rows: int

    def partition(self, at: int) -> int:
        """Return the partition of a delete file."""
        return at * self.partitions // self.files

    def positions(self, at: int) -> npt.NDArray[np.int64]:
        """Return the deleted positions of a data file."""
        return np.unique(np.random.default_rng(at).integers(0, ROWS_OF_FILE, self.rows))


SMALL: Final = Shape(files=20, partitions=2, rows=10)
"""The table of the round that is not counted."""


def main() -> None:
    """Write the tables, measure the contenders in turn and print the best round of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--partitions", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100, help="deleted rows of each data file")
    parser.add_argument("--rounds", type=int, default=2, help="the one with the least CPU time counts")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with (
        TemporaryDirectory(prefix="bench-deletes-") as folder,
        store_server() as store,
        counted_cpu() as cpu,
        Lake(folder=Path(folder), cores=2, store=store) as lake,
    ):
        for name, shape in (("small", SMALL), ("large", Shape(given.files, given.partitions, given.rows))):
            for version in (2, 3):
                write(lake, store, f"{name}_v{version}", shape, version)
        for name in CONTENDERS:
            _measured(lake, store, name, "small", files=SMALL.files, cpu=cpu)
        taken = [
            _measured(lake, store, name, "large", files=given.files, cpu=cpu)
            for _ in range(given.rounds)
            for name in CONTENDERS
        ]
    print_table(taken)
    best = {name: min(row["cpu_s"] for row in taken if row["contender"] == name) for name in CONTENDERS}
    print_table(
        [{"contender": name, "cpu_s": least, "less": best["procedure"] / least} for name, least in best.items()]
    )
    facts = machine_facts() | {"peer": ICEBERG_AWS}
    write_json(given.json, {"benchmark": "B28", "machine": facts, "rows": taken})


def ours(lake: Lake, name: str) -> tuple[int, int]:
    """Rewrite the deletes by Packhouse; return the numbers of replaced and of added files."""
    result = lake.service.rewrite(name, "rewrite_deletes")["result"]
    return result["rewritten_delete_files"], result["added_delete_files"]


def procedure(lake: Lake, name: str) -> tuple[int, int]:
    """Rewrite them by Iceberg's procedure, on as many groups at once as cores; return the same."""
    options = f"map('max-concurrent-file-group-rewrites', '{lake.cores}')"
    table = f"table => '{NAMESPACE}.{name}', options => {options}"
    row = lake.spark.sql(f"CALL {CATALOG}.system.rewrite_position_delete_files({table})").collect()[0].asDict()
    return row["rewritten_delete_files_count"], row["added_delete_files_count"]


CONTENDERS: Final[dict[str, tuple[int, Callable[[Lake, str], tuple[int, int]]]]] = {
    "ours": (3, ours),
    "ours v2": (2, ours),
    "procedure": (2, procedure),
}
"""By contender: the format version of its table, and the call."""


def _measured(
    lake: Lake, store: StoreServer, name: str, table: str, *, files: int, cpu: Callable[[], float]
) -> dict[str, Any]:
    version, contender = CONTENDERS[name]
    copied = lake.copy(f"{table}_v{version}", {"maintenance": {"rewrite_deletes": POLICY}})
    store.control(forget=True)
    began, before = time.perf_counter(), cpu()
    replaced, added = contender(lake, copied)
    spent, wall, asked = cpu() - before, time.perf_counter() - began, store.control()["asked"]
    if replaced != files:
        raise SystemExit(f"{name} replaced {replaced} of {files} delete files")
    reads, every = asked.get("GET", 0) + asked.get("HEAD", 0), sum(asked.values())
    row = {"contender": name, "wall_s": wall, "cpu_s": spent, "replaced": replaced, "added": added, "reads": reads}
    return row | {"writes": asked.get("PUT", 0), "requests per file": every / files}


def write(lake: Lake, store: StoreServer, name: str, shape: Shape, version: int) -> None:
    """Write a table's metadata and its delete files: one snapshot of data files, one of deletes."""
    properties = f"'format-version' = '{version}', 'write.delete.granularity' = 'partition'"  # join files of a day
    made = f"USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({properties})"
    lake.spark.sql(f"CREATE TABLE {spark_name(name)} (day bigint, id bigint) {made}").collect()
    lake.spark.sql(f"INSERT INTO {spark_name(name)} VALUES (0, 0)").collect()  # the first snapshot
    with closing(IcebergFormat().connect(CATALOG, lake.properties)) as connection:
        opened = connection.open_table(TableRef(CATALOG, (NAMESPACE,), name))
        writer = _Writer(store, shape, with_vectors=version == 3)
        for stage in (writer.data, writer.deletes):
            opened._tries().commit(  # noqa: SLF001 - as the attempt of a run commits
                lambda view, stage=stage: Proposal(None, lambda: stage(view)),  # type: ignore[misc]
                before_try=lambda: None,
            )


class _Writer:
    """Writes the two snapshots of a table."""

    def __init__(self, store: StoreServer, shape: Shape, *, with_vectors: bool) -> None:
        self._store, self._shape, self._with_vectors = store, shape, with_vectors

    def data(self, view: TableView) -> StagedSnapshot:
        """Write the manifests of the data files, which are not stored."""
        made = (_data_file(self._target(view, at, 0), self._shape.partition(at)) for at in range(self._shape.files))
        return self._snapshot(view, made, Operation.APPEND)

    def deletes(self, view: TableView) -> StagedSnapshot:
        """Write the delete files and their manifests."""
        of = self._vectors if self._with_vectors else self._positions
        made = (file for at in range(self._shape.files) for file in of(view, at))
        return self._snapshot(view, made, Operation.DELETE)

    def _vectors(self, view: TableView, at: int) -> Sequence[DataFile]:
        blobs = []
        for number in range(BLOBS):
            positions = self._shape.positions(at + number * self._shape.files)
            blobs.append(VectorBlob(encoded(positions), self._target(view, at, number), len(positions)))
        first = at % BLOBS  # where the live one is
        ordered = blobs[BLOBS - first :] + blobs[: BLOBS - first]
        puffin = puffin_of(ordered, created_by="a bench")
        path = self._stored(view, puffin.body, suffix="puffin")
        partitions = [Record(self._shape.partition(at))] * BLOBS
        files = vector_files(ordered, puffin, path=path, spec_id=0, partitions=partitions)
        return [files[first], files[(first + 1) % BLOBS]]

    def _positions(self, view: TableView, at: int) -> Sequence[DataFile]:
        positions = self._shape.positions(at)
        paths = pa.array([self._target(view, at, 0)], pa.string())
        rows = Positions(paths, np.zeros(len(positions), np.int64), positions)
        body = parquet_of(rows)
        path = self._stored(view, body, suffix="parquet")
        return [data_file_of(rows, body, path=path, spec_id=0, partition=Record(self._shape.partition(at)))]

    def _target(self, view: TableView, at: int, number: int) -> str:
        """Return the data file of a vector; number 0: the live one."""
        folder = f"{view.metadata.location}/data/day={self._shape.partition(at)}"
        return f"{folder}/{at:05}-{number}-4c2f1c0e-8f0b-4d53-9d8e-5f2a1d3c7b90-00001.parquet"

    def _stored(self, view: TableView, body: bytes, *, suffix: str) -> str:
        path = f"{view.metadata.location}/data/{uuid.uuid4()}-deletes.{suffix}"
        self._store.put(path.removeprefix(f"s3://{BUCKET}/"), body)
        return path

    def _snapshot(self, view: TableView, made: Iterator[DataFile], operation: Operation) -> StagedSnapshot:
        files = SnapshotFiles(view, RUN_ID, 1)
        manifests: list[ManifestFile] = []
        listed = list(made)
        for start in range(0, len(listed), ENTRIES):
            writer = files.delete_manifest_writer(0) if operation == Operation.DELETE else files.manifest_writer(0)
            with writer as opened:
                for file in listed[start : start + ENTRIES]:
                    opened.add(
                        ManifestEntry.from_args(
                            status=ManifestEntryStatus.ADDED,
                            snapshot_id=files.snapshot_id,
                            sequence_number=None,
                            data_file=file,
                        )
                    )
            manifests.append(opened.to_manifest_file())
        return files.write_list([*manifests, *view.manifests(view.head)], Summary(operation))


def _data_file(path: str, partition: int) -> DataFile:
    made = DataFile.from_args(
        content=DataFileContent.DATA, file_path=path, file_format=FileFormat.PARQUET, partition=Record(partition),
        record_count=ROWS_OF_FILE, file_size_in_bytes=1_000_000, column_sizes={2: 900_000},
        value_counts={2: ROWS_OF_FILE}, null_value_counts={2: 0}, nan_value_counts={}, lower_bounds={2: b"\0" * 8},
        upper_bounds={2: b"\1" * 8}, split_offsets=[4],
    )  # fmt: skip
    made.spec_id = 0
    return made


if __name__ == "__main__":
    main()
