"""A Paimon table with a primary key: `make demo-paimon`. Updates leave sorted runs, and Packhouse merges them.

A stream with `write-only=true` updates the same keys again and again, as Paimon recommends with a dedicated compactor.
Shown are the sorted runs of each bucket before and after, why the core of Paimon does the work, and that every key has
the value that was written last: by Packhouse's proofs, and by all rows as the core reads them. The exit code is 1 when
a proof fails. The first start fetches Paimon's core (56 MB).
"""

import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from screen import Screen
from server import Server
from stack import Stack

from engine.embedded.jars import CACHE_FOLDER, PAIMON, fetch
from engine.formats.paimon.task.core_process import CoreProcess
from engine.formats.paimon.task.places import class_path
from engine.formats.paimon.task.tables import open_table

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / ".cache" / "demo-paimon"
TABLE: Final = "lake.shop.orders"
BUCKETS: Final = 2
COMMITS: Final = 9
ROWS: Final = 1500
KEYS: Final = 4000
USER: Final = "stream"
HEAP_BYTES: Final = 512 * 2**20
OPTIONS: Final = {"bucket": str(BUCKETS), "write-only": "true"}


class Writer:
    """Writes the table with Paimon's core, and remembers the value of each key that was written last."""

    def __init__(self, child: CoreProcess, warehouse: Path) -> None:
        """Create the table in an empty warehouse."""
        self._jvm, self._paimon = child.jvm, child.jvm.org.apache.paimon
        self._chance = Random(19)  # noqa: S311 - rows of a demo
        self._commits = 0
        self.values: dict[int, float] = {}
        options = self._paimon.options.Options()
        options.set("warehouse", str(warehouse))
        context = self._paimon.catalog.CatalogContext.create(options)
        catalog = self._paimon.catalog.CatalogFactory.createCatalog(context)
        types = self._paimon.types.DataTypes
        columns = self._paimon.schema.Schema.newBuilder()
        columns.column("id", types.INT().notNull()).column("price", types.DOUBLE()).primaryKey(["id"])
        catalog.createDatabase("shop", True)
        name = self._paimon.catalog.Identifier.create("shop", "orders")
        catalog.createTable(name, columns.options(dict(OPTIONS)).build(), False)
        self.location = str(warehouse / "shop.db" / "orders")

    def commit(self) -> None:
        """Write random keys with new prices as one commit."""
        table = open_table(self._jvm, self.location, OPTIONS)
        write, commit = table.newWrite(USER), table.newCommit(USER)
        row = self._paimon.data.GenericRow(2)
        for key in self._chance.sample(range(KEYS), ROWS):
            self.values[key] = self._chance.randrange(100_000) / 4
            row.setField(0, key)
            row.setField(1, self.values[key])
            write.write(row)
        self._commits += 1
        commit.commit(self._commits, write.prepareCommit())
        write.close()
        commit.close()

    def read(self) -> Mapping[int, float]:
        """Return the value of each key, as the core merges the sorted runs."""
        table = open_table(self._jvm, self.location, OPTIONS)
        found = {}
        for split in table.newSnapshotReader().read().splits():
            rows = self._paimon.reader.RecordReaderIterator(table.newRead().createReader(split))
            while rows.hasNext():
                row = rows.next()
                found[int(row.getInt(0))] = float(row.getDouble(1))
            rows.close()
        return found


def main() -> None:
    """Tell the story; exit 1 when a proof fails."""
    started = time.monotonic()
    screen = Screen()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    jar = fetch(PAIMON, ROOT / CACHE_FOLDER)
    with Stack(data_dir=FOLDER / "data", PACKHOUSE_PAIMON_JAR=str(jar)) as stack:
        child = CoreProcess(path=class_path(str(jar)), heap_bytes=HEAP_BYTES)
        try:
            writer = write(screen, child)
            screen.say("waiting for API, Redis and Spark, which start meanwhile")
            server = Server(url=stack.url, key=stack.wait())
            table_id = look(screen, server)
            compact(screen, server, table_id, writer)
            keep_up(screen, server, table_id, writer)
        finally:
            child.kill()
    sys.exit(0 if screen.summary(time.monotonic() - started) else 1)


def write(screen: Screen, child: CoreProcess) -> Writer:
    """Chapter 1: a key table as a stream of updates leaves it."""
    screen.chapter("1. A table with a primary key, updated by a stream with write-only=true")
    writer = Writer(child, FOLDER / "lake")
    with screen.work(f"writing {TABLE}") as bar:
        for number in range(COMMITS):
            writer.commit()
            bar(number + 1, COMMITS)
    rows = COMMITS * ROWS
    screen.say(
        f"[bold]{TABLE}[/]: {COMMITS} commits, {rows:,} rows written to {len(writer.values):,} keys, {BUCKETS} buckets"
    )
    screen.prove("the core reads the value written last of each key", writer.read() == writer.values, _keys(writer))
    return writer


def look(screen: Screen, server: Server) -> str:
    """Chapter 2: sorted runs, back-pressure, and why the core does the work."""
    screen.chapter("2. Sorted runs, and what to do about them")
    properties = {"type": "filesystem", "warehouse": str(FOLDER / "lake")}
    server.post("/v1/catalogs", {"name": "lake", "format": "paimon", "properties": properties})
    table_id = str(server.post("/v1/tables", {"catalog": "lake", "namespace": ["shop"], "name": "orders"})["id"])
    runs = sorted_runs(server, table_id)
    screen.prove("a bucket has a sorted run for each commit", runs == COMMITS, f"{runs} in the fullest bucket")
    pressure = server.get(f"/v1/tables/{table_id}/backpressure")
    screen.prove("writers are told to slow down", pressure["slow_down"] is True, f"slow_down {pressure['slow_down']}")
    explained = server.get(f"/v1/tables/{table_id}/explain")
    why = next((each["detail"] for each in explained["conditions"] if each["name"] == "engine_native"), "")
    screen.prove("explain says why Paimon's core compacts it", "primary key" in why, why or "it does not")
    return table_id


def compact(screen: Screen, server: Server, table_id: str, writer: Writer) -> None:
    """Chapter 3: the run, and its proofs."""
    screen.chapter("3. The run: one Spark task for each bucket, one commit")
    before = writer.read()
    run = followed(screen, server, table_id)
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    checks = [check for proof in run["result"]["verifications"] for check in proof["checks"]]
    held = sum(check["holds"] for check in checks)
    screen.prove("Packhouse's checks hold", 0 < held == len(checks), f"{held} of {len(checks)}")
    runs = sorted_runs(server, table_id)
    screen.prove("one sorted run is left of each bucket", runs == 1, f"{COMMITS} \u2192 {runs}")
    screen.prove("every key has the value it had", writer.read() == before == writer.values, _keys(writer))
    pressure = server.get(f"/v1/tables/{table_id}/backpressure")
    screen.prove("writers need not slow down", pressure["slow_down"] is False, f"slow_down {pressure['slow_down']}")


def keep_up(screen: Screen, server: Server, table_id: str, writer: Writer) -> None:
    """Chapter 4: a few commits more are left alone, until there are enough of them."""
    screen.chapter("4. Too few sorted runs are left alone")
    writer.commit()
    run = followed(screen, server, table_id)
    screen.prove(
        "two sorted runs are not worth a rewrite", run["state"] == "skipped", f"{run['state']}, {run['reason']}"
    )
    screen.prove("every key has the value written last", writer.read() == writer.values, _keys(writer))


def followed(screen: Screen, server: Server, table_id: str) -> Any:
    """Run a rewrite to its end, and show it."""
    with screen.run() as view:
        run = server.run_to_end(table_id, view)
    screen.outcome(run)
    return run


def sorted_runs(server: Server, table_id: str) -> int:
    """Return the number of sorted runs of the fullest bucket."""
    bucket: Mapping[str, Any] = server.get(f"/v1/tables/{table_id}/health")["fullest_bucket"]
    return int(bucket["sorted_run_count"])


def _keys(writer: Writer) -> str:
    return f"{len(writer.values):,} keys"


if __name__ == "__main__":
    main()
