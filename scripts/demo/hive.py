"""A partitioned table of a Hive Metastore: `make demo-hive`. Each partition moves to a new folder with fewer files.

A writer without locks adds files and a reader reads the table over and over, while Packhouse rewrites it. Shown are the
files of each partition before and after, and that every read found every row once. The exit code is 1 when a proof
fails. The Metastore is Hive's own, from Spark's jars.
"""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Final

from screen import Screen
from server import Server
from stack import Stack

from tests.support.hive.lakes import HiveLake, HiveTable, files_in, path_of
from tests.support.hive.metastore import Metastore, open_metastore

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / ".cache" / "demo-hive"
TABLE: Final = "shop.events"
DAYS: Final = ("2026-11-01", "2026-11-02", "2026-11-03")
FILES: Final = 40
ROWS: Final = 500
MOST_FILES: Final = 2
"""Files of a partition after the run: one output, and perhaps the copy of a file that was added late."""

POLICY: Final = {
    "rewrite": {"min_input_files": 5},
    "maintenance": {"delete_old_compactions": {"grace": "1h", "interval": "1h"}},
}


class Writer:
    """Adds files to partitions of the table, and knows how many rows they have in all."""

    def __init__(self, metastore: Metastore) -> None:
        """Create the table in an empty Metastore."""
        lake = HiveLake(metastore, FOLDER / "lake", "shop").create()
        self.table: HiveTable = lake.create_table("events", keys=[("day", "string")])
        self.rows = 0

    def append(self, day: str) -> None:
        """Add a file where the Metastore has the partition."""
        ids = range(self.rows, self.rows + ROWS)
        self.table.append([day], [{"id": each, "value": each / 4} for each in ids])
        self.rows += ROWS

    def ids(self) -> list[int]:
        """Return the ids that a reader finds, ordered."""
        return sorted(row["id"] for row in self.table.rows())

    def files(self) -> list[int]:
        """Return the number of files of each partition."""
        return [len(files_in(path_of(each.sd.location))) for each in self.table.partitions()]


def main() -> None:
    """Tell the story; exit 1 when a proof fails."""
    started = time.monotonic()
    screen = Screen()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with Stack(data_dir=FOLDER / "data") as stack, open_metastore(FOLDER) as metastore:
        writer = write(screen, metastore)
        screen.say("waiting for API, Redis and Spark, which start meanwhile")
        server = Server(url=stack.url, key=stack.wait())
        table_id = register(screen, server, metastore)
        compact(screen, server, table_id, writer)
        keep_up(screen, server, table_id, writer)
    sys.exit(0 if screen.summary(time.monotonic() - started) else 1)


def write(screen: Screen, metastore: Metastore) -> Writer:
    """Chapter 1: a table as a job leaves it that adds a small file every few minutes."""
    screen.chapter("1. A partitioned Parquet table of a Hive Metastore")
    writer = Writer(metastore)
    with screen.work(f"writing {TABLE}") as bar:
        for number in range(FILES):
            for day in DAYS:
                writer.append(day)
            bar(number + 1, FILES)
    screen.say(f"[bold]{TABLE}[/]: {len(DAYS)} partitions with {FILES} files each, {writer.rows:,} rows")
    return writer


def register(screen: Screen, server: Server, metastore: Metastore) -> str:
    """Chapter 2: why it may be rewritten."""
    screen.chapter("2. The conditions of a rewrite")
    properties = {"type": "metastore", "uri": metastore.uri}
    server.post("/v1/catalogs", {"name": "hive", "format": "hive", "properties": properties})
    table_id = str(server.post("/v1/tables", {"catalog": "hive", "namespace": ["shop"], "name": "events"})["id"])
    server.put_policy(table_id, POLICY)
    conditions = server.get(f"/v1/tables/{table_id}/explain")["conditions"]
    unmet = [each["name"] for each in conditions if not each["holds"]]
    screen.prove("every condition holds", not unmet, ", ".join(unmet) or f"{len(conditions)} conditions")
    return table_id


def compact(screen: Screen, server: Server, table_id: str, writer: Writer) -> None:
    """Chapter 3: the run, beside a reader and a writer."""
    screen.chapter("3. The run: each partition moves to a folder of its own, beside a reader and a writer")
    before, planned_rows = writer.files(), writer.rows
    with reading(writer) as reads, screen.run() as view:
        run = server.run_to_end(table_id, view, submitted=lambda _id: writer.append(DAYS[0]))
    screen.outcome(run)
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    checks = [check for proof in run["result"]["verifications"] for check in proof["checks"]]
    held = sum(check["holds"] for check in checks)
    screen.prove("Packhouse's checks hold", 0 < held == len(checks), f"{held} of {len(checks)}")
    after = writer.files()
    screen.prove("partitions have few files", max(after) <= MOST_FILES, f"{before} \u2192 {after} files")
    whole = [ids for ids in reads if ids == list(range(len(ids))) and len(ids) >= planned_rows]
    screen.prove("every read found every row once", 0 < len(whole) == len(reads), f"{len(whole)} of {len(reads)} reads")
    screen.prove("the writer's new rows are there", writer.ids() == list(range(writer.rows)), f"{writer.rows:,} rows")


def keep_up(screen: Screen, server: Server, table_id: str, writer: Writer) -> None:
    """Chapter 4: writers find the new folder, and one file is not worth a rewrite."""
    screen.chapter("4. Writers find the new folder")
    writer.append(DAYS[1])
    with screen.run() as view:
        run = server.run_to_end(table_id, view)
    screen.prove("a file more is not worth a rewrite", run["state"] == "skipped", f"{run['state']}, {run['reason']}")
    screen.prove("every row is there once", writer.ids() == list(range(writer.rows)), f"{writer.rows:,} rows")


@contextmanager
def reading(writer: Writer) -> Iterator[list[list[int]]]:
    """Read the table over and over until the block ends; yields the ids of each time."""
    reads: list[list[int]] = []
    ended = Event()

    def read() -> None:
        while not ended.is_set():
            reads.append(writer.ids())

    reader = Thread(target=read)
    reader.start()
    try:
        yield reads
    finally:
        ended.set()
        reader.join()


if __name__ == "__main__":
    main()
