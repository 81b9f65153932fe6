"""Presets of the reference documents on real tables with live writers, in a whole `packhouse-server up`.

Each table has one preset and one stream. Iceberg tables are written by PyIceberg, Paimon tables by its own core, which
does not write while `backpressure` asks for it. Nothing is triggered by hand: the coordinator looks and starts runs.
Sizes of files are a hundredth of those in the documents, so that rules that go by numbers of files and by time work at
their own figures, and rules by size do not. At the end the writers stop, runs finish, and all rows are compared with
what was written. "most small" is the most small files (for key tables: sorted runs of a bucket) that a sample saw.

    python -m bench.hour [--minutes 60] [--json hour.json]
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, Final

import httpx
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import HourTransform, IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestampType

from bench.facts import machine_facts, print_table, write_json
from tests.support.paimon.core import PaimonCore, open_core
from tests.support.paimon.lakes import PaimonLake
from tests.support.stack import started

SAMPLE_SECONDS: Final = 15.0
END_SECONDS: Final = 300.0
TEXT_BYTES: Final = 200
KEY_ROWS: Final = 2000
_SCHEMA: Final = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "mission", StringType(), required=True),
    NestedField(3, "at", TimestampType(), required=True),
    NestedField(4, "text", StringType()),
)
_BY_MISSION: Final = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "mission"))
_BY_HOUR: Final = PartitionSpec(PartitionField(3, 1000, HourTransform(), "at_hour"))
_ARTEMIS: Final = {"preset": "artemis", "quiet_hours": [], "limits": {"available_bandwidth": "200MB"}}


@dataclass
class Stream:
    """A table with its policy and writer: a commit each `seconds`, to `places` (from, to) partitions.

    `states`: what the preset's document says that the hour has to show, in the document's figures.
    """

    name: str
    policy: Mapping[str, Any]
    seconds: float
    states: str
    places: tuple[int, int] = (1, 1)
    paimon: Mapping[str, Any] | None = None
    past_hours: int = 0
    table_id: str = ""
    commits: int = 0
    files: int = 0
    waits: int = 0
    rows: int = 0
    slow_down: bool = False
    samples: list[int] = field(default_factory=list)


def _key(name: str, preset: str, states: str) -> Stream:
    kind = {"primary_keys": ["id"], "bucket": "2", "write_only": "true"}
    return Stream(name, {"preset": preset}, 15, states, paimon=kind)


STREAMS: Final = (
    Stream("balanced", {"preset": "balanced"}, 10, "at 20 small files; a run in 10 min at most", (1, 3)),
    Stream("upsolver", {"preset": "upsolver"}, 2, "60 files after 2 days without a new one, or 1,000 files"),
    Stream("artemis_missions", _ARTEMIS, 30, "a commit each 30 s of 8 to 15 files; sealed after 1 h", (8, 15)),
    Stream(
        "artemis_seal_15m", _ARTEMIS | {"seal": {"after": "15m"}}, 30, "the same, sealed after 15 min (ours)", (8, 15)
    ),
    Stream("artemis_hours", _ARTEMIS, 30, "sealed partitions once, the open one never", past_hours=3),
    _key("universal_key", "paimon-universal", "5 sorted runs; writers wait at 8"),
    _key("low_latency_key", "paimon-low-latency", "3 sorted runs; writers wait at 6 (ours)"),
    _key("write_heavy_key", "paimon-write-heavy", "10 sorted runs; writers wait at 20 (ours)"),
    Stream("universal_append", {"preset": "paimon-universal"}, 10, "windows of 5 files", paimon={"bucket": "-1"}),
    Stream("maxcompute_append", {"preset": "maxcompute-tiered"}, 10, "8 files of a tier", paimon={"bucket": "-1"}),
    Stream("maxcompute_iceberg", {"preset": "maxcompute-tiered"}, 10, "8 files of a tier"),
)


@dataclass
class Hour:
    """The service, the tables and their writers."""

    http: httpx.Client
    catalog: Catalog
    core: PaimonCore
    warehouse: Path
    streams: Sequence[Stream]
    over: Event = field(default_factory=Event)

    def prepare(self) -> None:
        """Register the catalogs, make the tables and set their policies."""
        self.catalog.create_namespace("lake")
        for name, kind, properties in (
            ("lake", "iceberg", self.catalog.properties),
            ("paimon", "paimon", {"type": "filesystem", "warehouse": str(self.warehouse)}),
        ):
            self._post("/v1/catalogs", {"name": name, "format": kind, "properties": dict(properties)})
        for each in self.streams:
            if each.paimon is None:
                spec = _BY_HOUR if each.past_hours else _BY_MISSION
                self.catalog.create_table(("lake", each.name), _SCHEMA, partition_spec=spec)
                for hours in range(1, each.past_hours + 1):
                    for _ in range(40):
                        self._append(each, ["-"], datetime.now(UTC) - timedelta(hours=hours + 1))
            else:
                self._lake(each).create([("id", "BIGINT NOT NULL"), ("text", "STRING")], **each.paimon)
            catalog = "lake" if each.paimon is None else "paimon"
            table = self._post("/v1/tables", {"catalog": catalog, "namespace": ["lake"], "name": each.name})
            each.table_id = table["id"]
            self._put_policy(each)

    def write_iceberg(self) -> None:
        """Commit to the Iceberg tables at their times until the hour is over."""
        chance = random.Random(1)

        def commit(stream: Stream) -> None:
            places = chance.sample(range(stream.places[1]), chance.randint(*stream.places))
            self._append(stream, [f"mission {at:02}" for at in places], datetime.now(UTC))

        self._write([each for each in self.streams if each.paimon is None], commit)

    def write_paimon(self) -> None:
        """Commit to the Paimon tables at their times until the hour is over; wait where backpressure asks for it."""

        def commit(stream: Stream) -> None:
            if stream.slow_down:
                stream.waits += 1
                return
            self._fill(stream)

        self._write([each for each in self.streams if each.paimon is not None], commit)

    def sample(self) -> None:
        """Ask for the health of each table and whether its writer should wait, until the hour is over."""
        while not self.over.wait(SAMPLE_SECONDS):
            for each in self.streams:
                health = self.get(f"/v1/tables/{each.table_id}/health")
                bucket = health["fullest_bucket"]
                count = health["small_file_count"] if bucket is None else bucket["sorted_run_count"]
                each.samples.append(int(count))
                if each.paimon is not None:
                    each.slow_down = bool(self.get(f"/v1/tables/{each.table_id}/backpressure")["slow_down"])

    def runs(self, stream: Stream) -> list[dict[str, Any]]:
        """Return all runs of a table with their results."""
        found, token = list[dict[str, Any]](), None
        while True:
            asked = {"table_id": stream.table_id, "include": "result", "page_size": 100}
            page = self.get("/v1/runs", asked | ({} if token is None else {"page_token": token}))
            found += page["items"]
            if (token := page["next_page_token"]) is None:
                return found

    def wait_for_runs(self) -> None:
        """Wait until no run is under way."""
        deadline = time.monotonic() + END_SECONDS
        while any(not run["is_terminal"] for each in self.streams for run in self.runs(each)):
            if time.monotonic() > deadline:
                raise SystemExit("runs did not end")
            time.sleep(2)

    def check_rows(self, stream: Stream) -> str:
        """Return "equal" if a table has exactly the rows that were written, or what differs."""
        if stream.paimon is None:
            ids = self.catalog.load_table(("lake", stream.name)).scan(selected_fields=("id",)).to_arrow()["id"]
            found, distinct = len(ids), pc.count_distinct(ids).as_py()
            return "equal" if found == distinct == stream.rows else f"{found} rows, {stream.rows} written"
        rows = self._lake(stream).call("values")
        twin = Stream(f"{stream.name}_twin", {}, 0, "", paimon=stream.paimon)
        lake = self._lake(twin).create([("id", "BIGINT NOT NULL"), ("text", "STRING")], **stream.paimon)
        is_keyed = "primary_keys" in stream.paimon
        for seed in [stream.commits - 1] if is_keyed else range(stream.commits):
            lake.call("fill", rows=_rows_of(stream), text_bytes=TEXT_BYTES, seed=seed)
        return "equal" if rows == lake.call("values") else "other rows than were written"

    def _put_policy(self, stream: Stream) -> None:
        path, headers = f"/v1/tables/{stream.table_id}/policy", {"If-None-Match": "*"}
        answer = self.http.put(path, json=dict(stream.policy), headers=headers)
        if answer.status_code == httpx.codes.PRECONDITION_REQUIRED:
            token = answer.json()["details"]["acknowledge"]
            answer = self.http.put(path, json=dict(stream.policy), headers=headers, params={"acknowledge": token})
        if answer.is_error:
            raise SystemExit(f"{stream.name}: {answer.text}")

    def _write(self, streams: Sequence[Stream], commit: Callable[[Stream], None]) -> None:
        began = time.monotonic()
        due = {each.name: began for each in streams}
        while not self.over.is_set():
            stream = min(streams, key=lambda each: due[each.name])
            if self.over.wait(max(0.0, due[stream.name] - time.monotonic())):
                return
            commit(stream)
            due[stream.name] = max(due[stream.name] + stream.seconds, time.monotonic())

    def _append(self, stream: Stream, missions: Sequence[str], at: datetime) -> None:
        count = 100 * len(missions)
        ids = pa.array(range(stream.rows, stream.rows + count), pa.int64())
        texts = [random.randbytes(TEXT_BYTES // 2).hex() for _ in range(count)]
        names = [name for name in missions for _ in range(100)]
        times = pa.array([at.replace(tzinfo=None)] * count, pa.timestamp("us"))
        table = self.catalog.load_table(("lake", stream.name))
        table.append(pa.table([ids, pa.array(names), times, pa.array(texts)], schema=table.schema().as_arrow()))
        stream.rows += count
        stream.commits += 1
        stream.files += len(missions)

    def _fill(self, stream: Stream) -> None:
        rows = _rows_of(stream)
        self._lake(stream).call("fill", rows=rows, text_bytes=TEXT_BYTES, seed=stream.commits)
        stream.rows += rows
        stream.commits += 1
        stream.files += 2 if "primary_keys" in (stream.paimon or {}) else 1

    def _lake(self, stream: Stream) -> PaimonLake:
        return PaimonLake(self.core, self.warehouse, stream.name)

    def get(self, path: str, asked: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a request."""
        return self.http.get(path, params=asked).raise_for_status().json()

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.http.post(path, json=body).raise_for_status().json()


def _rows_of(stream: Stream) -> int:
    return KEY_ROWS if "primary_keys" in (stream.paimon or {}) else 100


def _row(hour: Hour, stream: Stream) -> dict[str, Any]:
    runs = [run for run in hour.runs(stream) if run["operation"] == "rewrite"]
    done = [run for run in runs if run["state"] == "succeeded"]
    others = [run["reason"] for run in runs if run["state"] != "succeeded"]
    results = [run["result"] for run in runs]
    health = hour.get(f"/v1/tables/{stream.table_id}/health")
    rewritten = sum(each["rewritten_bytes"] or 0 for each in results)
    return {
        "table": stream.name,
        "commits": stream.commits,
        "files written": stream.files,
        "files at the end": health["file_count"],
        "most small": max(stream.samples, default=0),
        "runs": len(done),
        "other runs": ", ".join(f"{others.count(each)} {each}" for each in sorted(set(others))) or "-",
        "groups lost": sum((each["races"] or {}).get("groups_lost", 0) for each in results),
        "MB rewritten": round(rewritten / 1e6, 1),
        "waits": stream.waits,
        "rows": hour.check_rows(stream),
        "document": stream.states,
    }


@contextmanager
def _opened(scratch: Path) -> Iterator[Hour]:
    with started(scratch) as stack, open_core(scratch / "core.log") as core:
        headers = {"Authorization": f"Bearer {stack.key}"}
        catalog = load_catalog("lake", **stack.catalog_properties)
        with httpx.Client(base_url=stack.url, headers=headers, timeout=60) as http:
            yield Hour(http, catalog, core, scratch / "warehouse", STREAMS)


def main() -> None:
    """Write for an hour, then print what each preset did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-hour-") as scratch, _opened(Path(scratch)) as hour:
        hour.prepare()
        failed: list[BaseException] = []
        threads = [
            Thread(target=_guarded, args=(work, hour, failed))
            for work in (hour.write_iceberg, hour.write_paimon, hour.sample)
        ]
        for each in threads:
            each.start()
        hour.over.wait(60 * given.minutes)
        hour.over.set()
        for each in threads:
            each.join()
        if failed:
            raise failed[0]
        hour.wait_for_runs()
        rows = [_row(hour, each) for each in hour.streams]
    print_table(rows)
    write_json(given.json, {"benchmark": "presets for an hour", "machine": machine_facts(), "rows": rows})


def _guarded(work: Callable[[], None], hour: Hour, failed: list[BaseException]) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - told by the main thread
        failed.append(error)
        hour.over.set()


if __name__ == "__main__":
    main()
