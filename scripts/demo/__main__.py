"""The demo: `make demo`. A real Iceberg table of small files is compacted over HTTP, and what happened is proven.

Everything printed was measured in this run: by the server, or from outside with PyIceberg and DuckDB. The exit code is
1 when a proof fails. Needs about 2 GB of memory and 500 MB of disk under `.cache/demo`, which is emptied first.
"""

import logging
import shutil
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from measuring import Measurement, Rows, TableProbe
from packhouse.output import size
from screen import RunView, Screen
from server import Server
from stack import Stack

from engine.embedded.demo_rows import make_rows
from engine.embedded.demo_table import DemoTable, write_demo_table

FOLDER: Final = Path(__file__).parents[2] / ".cache" / "demo"
NAME: Final = "lake.shop.events"
FILES: Final = 400
PARTITIONS: Final = 8
TOTAL_BYTES: Final = 160 * 2**20
POLICY: Final = {"rewrite": {"target_file_bytes": "32MiB", "small_file_bytes": "8MiB"}}
APPEND_SEED: Final = 20261101
NEW_COMMITS: Final = 12
NEW_ROWS_PER_DAY: Final = 3000
KEPT: Final = 3
EXPIRY_SECONDS: Final = 2
EXPIRY: Final = {"older_than": f"{EXPIRY_SECONDS}s", "keep_last": KEPT, "delete_files": True}
SLOW: Final = "2MB"
"""A bandwidth under which the second run can be caught half-way and the third be overtaken by a writer."""


@dataclass
class Story:
    """What the chapters hand on to one another."""

    screen: Screen
    server: Server
    probe: TableProbe
    table_id: str
    next_id: int
    measured: Measurement = field(init=False)


def main() -> None:
    """Tell the story from the beginning; exit 1 when a proof fails."""
    started = time.monotonic()
    logging.getLogger("pyiceberg").setLevel(logging.ERROR)  # lost races of the writer are part of the story
    screen = Screen()
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "lake").mkdir(parents=True)
    properties = {"type": "sql", "uri": f"sqlite:///{FOLDER}/lake/catalog.db", "warehouse": f"file://{FOLDER}/lake"}
    with Stack(data_dir=FOLDER / "data") as stack:
        table = write(screen, properties)
        screen.say("waiting for API, Redis and Spark, which start meanwhile")
        server = Server(url=stack.url, key=stack.wait())
        probe = TableProbe(catalog="lake", properties=properties, identifier=("shop", "events"))
        story = Story(screen, server, probe, register(screen, server, properties), table.rows)
        look(story)
        compact(story)
        cancel_half_way(story)
        append_meanwhile(story)
        expire(story)
    holds = screen.summary(time.monotonic() - started)
    page = f"http://127.0.0.1:8080/console/tables/{story.table_id}"
    screen.say(f"The server has ended; `PACKHOUSE_DATA_DIR={FOLDER}/data make up` starts it again with this table.")
    screen.say(f"Its page is then {page}; sign in with the key in {FOLDER}/data/admin-key")
    sys.exit(0 if holds else 1)


def write(screen: Screen, properties: Mapping[str, str]) -> DemoTable:
    """Chapter 1: a table, written as a stream does."""
    screen.chapter("1. A table as a stream leaves it")
    with screen.work(f"writing {NAME}") as bar:
        table = write_demo_table(
            catalog_properties=properties,
            name=NAME,
            files=FILES,
            partitions=PARTITIONS,
            total_bytes=TOTAL_BYTES,
            on_progress=bar,
        )
    screen.say(
        f"[bold]{table.name}[/]: {table.data_files} files in {table.partitions} days, {table.commits} commits, "
        f"{table.rows:,} rows, {size(table.total_bytes)}"
    )
    return table


def register(screen: Screen, server: Server, properties: Mapping[str, str]) -> str:
    """Chapter 2: catalog, table and policy, over HTTP."""
    screen.chapter("2. Catalog, table and policy are registered")
    server.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": dict(properties)})
    for step in server.post("/v1/catalogs/lake/check")["steps"]:
        screen.prove(f"catalog check, {step['name']}", step["ok"], step["detail"])
    table = server.post("/v1/tables", {"catalog": "lake", "namespace": ["shop"], "name": "events"})
    server.put_policy(table["id"], POLICY)
    screen.say(f"table [bold]{table['id']}[/] ({table['uuid']}), policy {POLICY}")
    return str(table["id"])


def look(story: Story) -> None:
    """Chapter 3: what is wrong, and what would be done about it."""
    story.screen.chapter("3. Health, and a plan that changes nothing")
    story.screen.health(story.server.get(f"/v1/tables/{story.table_id}/health"))
    story.screen.say("")
    story.screen.plan(story.server.post(f"/v1/tables/{story.table_id}/plan", {}))
    story.measured = story.probe.measure()


def compact(story: Story) -> None:
    """Chapter 4: the run, before and after, and the proof."""
    screen, before = story.screen, story.measured
    screen.chapter("4. The run")
    with screen.run() as view:
        run = story.server.run_to_end(story.table_id, view)
    screen.outcome(run)
    after = story.measured = story.probe.measure()
    screen.say("")
    screen.before_and_after(before, after)
    screen.say("")
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    screen.prove("the head is the run's snapshot", str(after.snapshot_id) in _snapshots(run), str(after.snapshot_id))
    screen.prove("fewer files", after.files < before.files, f"{before.files} → {after.files}")
    _prove_rows(screen, "the rows are the same", before.rows, after.rows)
    health = story.server.get(f"/v1/tables/{story.table_id}/health")
    screen.prove("no avoidable small file is left", health["avoidable_file_count"] == 0, f"score {health['score']}")


def cancel_half_way(story: Story) -> None:
    """Chapter 5: a slow second run, cancelled half-way."""
    screen, server = story.screen, story.server
    screen.chapter("5. A second run, cancelled half-way")
    expected = story.measured.rows
    for _ in range(NEW_COMMITS):
        expected += _append(story)
    files = story.probe.count_files()
    server.put_policy(story.table_id, POLICY | {"limits": {"bandwidth": SLOW}})
    screen.say(f"{NEW_COMMITS} more commits: {files} files again; bandwidth limited to {SLOW}/s")
    with screen.run() as view:
        catcher = _Catcher(server, view)
        run = server.run_to_end(story.table_id, catcher, submitted=catcher.run_is)
    after = story.measured = story.probe.measure()
    screen.prove("it was caught half-way", 0 < catcher.share < 1, f"{catcher.share:.0%} of its bytes")
    screen.prove("the run is cancelled", run["state"] == "cancelled", f"{run['state']}, {catcher.seconds:.1f} s later")
    _prove_rows(screen, "the rows are the same", expected, after.rows)
    left = story.probe.unreferenced_files(".parquet")
    screen.prove("no half-done file is left over", not left, f"{len(left)} unreferenced data files")


def append_meanwhile(story: Story) -> None:
    """Chapter 6: a third run, while a writer appends."""
    screen, server = story.screen, story.server
    screen.chapter("6. A third run, while a writer appends")
    before = story.measured
    with screen.run() as view, ThreadPoolExecutor(1) as pool:
        writer = _Writer(story, view, pool)
        run = server.run_to_end(story.table_id, writer)
        appended = writer.stop()
    after = story.probe.measure()
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    overtaken = sum(story.probe.parent_of(int(snapshot)) != before.snapshot_id for snapshot in _snapshots(run))
    screen.prove("commits of the writer came in between", overtaken > 0, f"{writer.commits} appends during the run")
    _prove_rows(screen, "no row is lost, none is doubled", before.rows + appended, after.rows)
    new_files = PARTITIONS * writer.commits
    claim = f"the {before.files} files became fewer, the {new_files} new ones are there"
    screen.prove(claim, new_files < after.files < before.files + new_files, f"{after.files} files")


def expire(story: Story) -> None:
    """Chapter 7: old snapshots expire, and the files that only they needed are deleted."""
    screen, server, probe = story.screen, story.server, story.probe
    screen.chapter("7. Old snapshots expire, with their files")
    server.put_policy(story.table_id, POLICY | {"maintenance": {"expire_snapshots": EXPIRY}})
    time.sleep(EXPIRY_SECONDS)  # until the newest snapshots are old enough too
    before, rows = probe.storage(), probe.rows_of_newest(KEPT)
    wanted = {"table_id": story.table_id, "operation": "expire_snapshots"}
    screen.upkeep_plan(server.post("/v1/runs/preview", wanted))
    with screen.run() as view:
        run = server.run_to_end(story.table_id, view, operation="expire_snapshots")
    screen.outcome(run)
    after = probe.storage()
    screen.say("")
    screen.storage(before, after)
    screen.prove("the run succeeded", run["state"] == "succeeded", f"{run['state']}, {run['detail']}")
    screen.prove("old snapshots are gone", after.snapshots == KEPT, f"{before.snapshots} → {after.snapshots}")
    freed = before.stored_bytes - after.stored_bytes
    screen.prove("storage is freed", freed > 0, size(freed))
    found = probe.rows_of_newest(KEPT)
    screen.prove("each kept snapshot reads as before", found == rows, f"time travel to {len(found)} snapshots")
    left = probe.unreferenced_files(".parquet")
    screen.prove("no data file is left that no snapshot needs", not left, f"{len(left)} unreferenced data files")


class _Catcher:
    """Watches a run and cancels it when four tenths of its bytes are through."""

    _SHARE = 0.4

    def __init__(self, server: Server, view: RunView) -> None:
        self._server = server
        self._view = view
        self._run_id = ""
        self._asked_at = 0.0
        self.share = 0.0
        self.seconds = 0.0

    def run_is(self, run_id: str) -> None:
        """Learn which run to cancel."""
        self._run_id = run_id

    def __call__(self, name: str, document: Mapping[str, Any]) -> None:
        """Pass an event on, and cancel once."""
        self._view(name, document)
        if name == "progress" and not self._asked_at and document["bytes_total"]:
            share = document["bytes_finished"] / document["bytes_total"]
            if share >= self._SHARE:
                self.share, self._asked_at = share, time.monotonic()
                self._server.post(f"/v1/runs/{self._run_id}/cancel")
                self._view.say(f"  [magenta]cancel, at {share:.0%}[/]")
        elif document.get("to_state") == "cancelled":
            self.seconds = time.monotonic() - self._asked_at


class _Writer:
    """Watches a run and, from the moment it rewrites, appends beside it until told to stop."""

    def __init__(self, story: Story, view: RunView, pool: ThreadPoolExecutor) -> None:
        self._story = story
        self._view = view
        self._pool = pool
        self._stopped = threading.Event()
        self._future: Future[Rows] | None = None
        self.commits = 0

    def __call__(self, name: str, document: Mapping[str, Any]) -> None:
        """Pass an event on; start writing when the run starts to rewrite."""
        self._view(name, document)
        if document.get("to_state") == "rewriting" and self._future is None:
            self._future = self._pool.submit(self._write)

    def stop(self) -> Rows:
        """Stop writing and return all rows that were appended."""
        self._stopped.set()
        return Rows(0, 0) if self._future is None else self._future.result()

    def _write(self) -> Rows:
        total = Rows(0, 0)
        while not self._stopped.is_set():
            total += _append(self._story)
            self.commits += 1
            self._view.say(f"  [yellow]append {self.commits}: {total.count:,} new rows so far[/]")
            self._stopped.wait(0.5)
        return total


def _append(story: Story) -> Rows:
    rows = make_rows(first_id=story.next_id, days=PARTITIONS, rows_per_day=NEW_ROWS_PER_DAY, seed=APPEND_SEED)
    story.next_id += rows.num_rows
    return story.probe.append(rows)


def _prove_rows(screen: Screen, claim: str, expected: Rows, found: Rows) -> None:
    screen.prove(claim, expected == found, f"{found.count:,} of {expected.count:,}, fingerprint {found.short()}")


def _snapshots(run: Mapping[str, Any]) -> list[str]:
    return list(run["result"]["snapshot_ids"])


if __name__ == "__main__":
    main()
