"""The digest of a Paimon table with many buckets: time and memory, in a process that does nothing else.

Paimon's core writes a small key table; its manifest is multiplied to the wanted number of files, a tenth of which later
entries delete and add at another level, as compactions do.

    python -m bench.paimon_digest [--buckets 10000] [--files 100000] [--json digest.json]
"""

import argparse
import copy
import io
import json
import multiprocessing
import resource
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fastavro

from bench.facts import machine_facts, print_table, write_json
from engine.domain.tables.table import TableRef
from engine.formats.intake.avro.blocks import container, readable, schema_of
from engine.formats.paimon.connection import PaimonFormat
from tests.support.paimon.core import open_core
from tests.support.paimon.edits import delta_list, delta_manifest, edit_json, edit_list, newest
from tests.support.paimon.lakes import PaimonLake

PER_PARTITION = 100  # buckets
PER_MANIFEST = 10_000  # entries: about what a manifest of Paimon's target of 8 MB has


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--buckets", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-paimon-") as folder:
        root = Path(folder)
        with open_core(root / "log") as core:
            lake = PaimonLake(core, root / "warehouse")
            lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket=str(PER_PARTITION))
            lake.write([[1, "2026-11-01", 1.5]])
        stored = _multiply(lake.folder, given.buckets, given.files)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(_measured, (dict(lake.properties),))
    row = {"buckets": given.buckets, "files": given.files, "manifest_mb": round(stored / 1e6, 1), **row}
    print_table([row])
    write_json(given.json, {"benchmark": "digest of a Paimon table", "machine": machine_facts(), "rows": [row]})


def _multiply(folder: Path, buckets: int, files: int) -> int:
    """Replace the manifest of a table by others with many entries; return their size in bytes."""
    path = delta_manifest(folder)
    body = readable(path.read_bytes())
    (record,) = fastavro.reader(io.BytesIO(body))
    written: Any = fastavro.parse_schema(json.loads(schema_of(body)))
    entries = list(_entries(record, buckets, files))
    made = []
    for start in range(0, len(entries), PER_MANIFEST):
        part, target = entries[start : start + PER_MANIFEST], io.BytesIO()
        for each in part:
            fastavro.schemaless_writer(target, written, each)
        content = container(schema_of(body), {}, [(len(part), target.getvalue())], codec="deflate")
        name = f"manifest-{start}"
        (path.parent / name).write_bytes(content)
        made.append((name, len(content), sum(each["_KIND"] == 0 for each in part), sum(each["_KIND"] for each in part)))

    def relist(records: list[Any]) -> None:
        template = records.pop()
        for name, size, added, deleted in made:
            counts = {"_NUM_ADDED_FILES": added, "_NUM_DELETED_FILES": deleted}
            records.append({**copy.deepcopy(template), "_FILE_NAME": name, "_FILE_SIZE": size, **counts})

    edit_list(folder, relist)
    edit_json(newest(folder), deltaManifestListSize=delta_list(folder).stat().st_size)
    return sum(size for _, size, _, _ in made)


def _entries(record: Any, buckets: int, files: int) -> Iterator[Any]:
    def entry(kind: int, number: int, level: int) -> Any:
        bucket = number % buckets
        day = f"2026-{bucket // PER_PARTITION:06}".encode()
        partition = struct.pack(">i", 1) + struct.pack("<8sII16s", bytes(8), len(day), 16, day)
        file = {**record["_FILE"], "_FILE_NAME": f"data-{number:036}-0.parquet", "_LEVEL": level}
        return {**record, "_KIND": kind, "_PARTITION": partition, "_BUCKET": bucket % PER_PARTITION, "_FILE": file}

    for number in range(files):
        yield entry(0, number, 0)
    for number in range(0, files, 10):
        yield entry(1, number, 0)
        yield entry(0, number, 5)


def _measured(properties: dict[str, str]) -> dict[str, Any]:
    (address,) = (connection := PaimonFormat().connect("lake", properties)).list_tables(1).identifiers
    before, begun, cpu = _resident(), time.perf_counter(), time.process_time()
    table = connection.open_table(_ref(address))
    rows = table.digest().num_rows
    first, cpu = time.perf_counter() - begun, time.process_time() - cpu
    peak = _resident()
    begun = time.perf_counter()
    connection.open_table(_ref(address)).digest()
    return {
        "rows": rows,
        "seconds": round(first, 2),
        "cpu_seconds": round(cpu, 2),
        "seconds_cached": round(time.perf_counter() - begun, 2),
        "mb_before": before,
        "mb_peak": peak,
        "digest_mb": round(table.digest().nbytes / 1e6, 1),
    }


def _ref(address: tuple[str, ...]) -> TableRef:
    return TableRef("lake", address[:-1], address[-1])


def _resident() -> int:
    """Return the largest resident memory so far in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


if __name__ == "__main__":
    main()
