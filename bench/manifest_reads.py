"""B20, planning: all manifests of a table in an object store at several latencies, first unread, then cached.

The store is that of `bench.object_store`. The manifest of an append by PyIceberg lies there under many names; they are
read as planning, commits and proofs read them. `arrow`: without `obstore`, with two requests for each.

    python -m bench.manifest_reads [--manifests 600] [--latencies 0,10,30,100] [--json manifests.json]

Goal: 600 manifests at 30 ms in less than 1 s.
"""

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyiceberg.manifest import ManifestFile

from bench.facts import machine_facts, print_table, write_json
from engine.formats.iceberg.catalog.file_access import GuardedFileIO
from engine.formats.iceberg.intake.storage import AvroFiles
from engine.formats.iceberg.manifests.reading import ManifestReader
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.formats.intake.caches import ManifestCache
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores import objects
from tests.support.store_server import BUCKET, Manners, StoreServer, store_server
from tests.support.world import make_lake


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifests", type=int, default=600)
    parser.add_argument("--latencies", default="0,10,30,100", help="milliseconds to the first byte")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="bench-manifests-") as folder, store_server() as store:
        listed, codec = _uploaded(store, Path(folder), given.manifests)
        for latency in (int(each) / 1000 for each in given.latencies.split(",")):
            store.control(manners=Manners(latency=latency))
            rows += [_measured(store, name, latency, listed, codec) for name in ("obstore", "arrow")]
    print_table(rows)
    write_json(given.json, {"benchmark": "B20 (planning)", "machine": machine_facts(), "rows": rows})


def _uploaded(store: StoreServer, folder: Path, count: int) -> tuple[list[ManifestFile], PartitionCodec]:
    table = make_lake(folder).table
    head = table.current_snapshot()
    assert head is not None
    (manifest,) = head.manifests(table.io)[:1]
    body = Path(manifest.manifest_path.removeprefix("file://")).read_bytes()
    listed = []
    for number in range(count):
        store.put(f"metadata/{number}.avro", body)
        one = copy.copy(manifest)
        one._data = [f"s3://{BUCKET}/metadata/{number}.avro", *manifest._data[1:]]  # noqa: SLF001 - under another name
        listed.append(one)
    return listed, PartitionCodec(spec=table.spec(), schema=table.schema())


def _measured(
    store: StoreServer, name: str, latency: float, listed: list[ManifestFile], codec: PartitionCodec
) -> dict[str, Any]:
    present = vars(objects)["obstore"]
    vars(objects)["obstore"] = present if name == "obstore" else None
    try:
        places = AllowedFolders([f"s3://{BUCKET}/metadata", "file:/"])
        io = AvroFiles(GuardedFileIO(store.properties(), places=places))
        reader = ManifestReader(io=io, codecs={codec.spec.spec_id: codec}, cache=ManifestCache(), places=places)
        store.control(forget=True)
        first = _seconds(lambda: reader.each(listed))
        asked = sum(store.control()["asked"].values())
        again = _seconds(lambda: reader.each(listed))
    finally:
        vars(objects)["obstore"] = present
    return {
        "contender": name,
        "latency_ms": round(1000 * latency),
        "manifests": len(listed),
        "seconds": first,
        "requests": asked,
        "seconds cached": again,
    }


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
