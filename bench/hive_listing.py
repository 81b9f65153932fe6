"""The digest of a Hive table with many partitions: time and memory, in a process that does nothing else.

A server of the Metastore's protocol answers with partitions that are made once; their folders have one small file each.

    python -m bench.hive_listing [--partitions 100000] [--folder /dev/shm] [--json listing.json]
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hive_metastore.ttypes import Partition

from bench.facts import machine_facts, print_table, write_json
from engine.domain.tables.table import TableRef
from engine.formats.hive import HiveFormat
from tests.support.hive.stated_metastore import StatedMetastore, stated_partition, stated_table

HOURS = 24
COLUMNS = 20
REF = TableRef("lake", ("lake",), "events")


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    processes = multiprocessing.get_context("spawn")
    with TemporaryDirectory(prefix="bench-hive-", dir=given.folder) as folder:
        near, far = processes.Pipe()
        server = processes.Process(target=_serve, args=(far, Path(folder), given.partitions))
        server.start()
        try:
            with processes.Pool(1) as pool:
                row = pool.apply(_measured, (near.recv(),))
        finally:
            near.send("end")
            server.join()
    row = {"partitions": given.partitions, **row}
    print_table([row])
    write_json(given.json, {"benchmark": "digest of a Hive table", "machine": machine_facts(), "rows": [row]})


def _serve(far: Connection, folder: Path, count: int) -> None:
    """Write the folders, send the server's address, and serve until a message."""
    keys = [("day", "date"), ("hour", "int")]
    table = stated_table(f"file:{folder}", keys=keys, columns=COLUMNS)
    stated = StatedMetastore({"events": table}, {"events": _partitions(folder, count, table.sd.cols)})
    with stated.running():
        far.send(stated.uri)
        far.recv()


def _partitions(folder: Path, count: int, columns: Sequence[Any]) -> list[Partition]:
    made = []
    for number in range(count):
        day, hour = divmod(number, HOURS)
        values = [f"{2000 + day // 336}-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}", str(hour)]
        place = folder / f"day={values[0]}" / f"hour={hour}"
        place.mkdir(parents=True)
        (place / "part-00000.parquet").write_bytes(b"PAR1")
        partition = stated_partition(values, f"file:{place}")
        partition.sd.cols = columns
        made.append(partition)
    return made


def _measured(uri: str) -> dict[str, Any]:
    connection = HiveFormat(pause=0).connect("lake", {"type": "metastore", "uri": uri})
    before, begun, cpu = _resident(), time.perf_counter(), time.process_time()
    table = connection.open_table(REF)
    rows, opened = table.digest().num_rows, time.process_time() - cpu
    first, peak, cpu = time.perf_counter() - begun, _resident(), time.process_time()
    connection.pointers([REF])
    return {
        "rows": rows,
        "seconds": round(first, 2),
        "cpu_seconds": round(opened, 2),
        "cpu_seconds_again": round(time.process_time() - cpu, 2),
        "mb_before": before,
        "mb_peak": peak,
        "digest_mb": round(table.digest().nbytes / 1e6, 1),
    }


def _resident() -> int:
    """Return the largest resident memory so far in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)


if __name__ == "__main__":
    main()
