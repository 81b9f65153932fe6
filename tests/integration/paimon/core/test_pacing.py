"""Share and stop of a compaction: the long-term rate holds, and a stop takes effect at once."""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.formats.paimon.task.compaction import BucketCompaction
from engine.formats.paimon.task.contract import EXACT_FILES, CoreTask
from engine.rewriting.kernel.contract import Pace
from tests.support.paimon.compactions import own_files, paths, tasks
from tests.support.paimon.lakes import PaimonLake

pytestmark = pytest.mark.usefixtures("core_child")

COLUMNS = [("id", "BIGINT NOT NULL"), ("text", "STRING")]
URL = "http://pace.test/report"


class Channel:
    """Stands in for the network: answers the rate, and a stop as soon as a condition holds."""

    def __init__(self, stops: Callable[[], bool] = lambda: False, rate: float | None = None) -> None:
        self._stops = stops
        self._rate = rate
        self.reports: list[dict[str, Any]] = []
        self.stopped_at: float | None = None

    def __call__(self, url: str, headers: dict[str, str], body: bytes) -> bytes:
        self.reports.append(json.loads(body))
        if self.stopped_at is None and self._stops():
            self.stopped_at = time.monotonic()
        stop = self.stopped_at is not None
        return json.dumps({"bytes_per_second": self._rate, "requests_per_second": None, "stop": stop}).encode()


def paced(task: CoreTask, rate: float | None = None) -> CoreTask:
    pace = Pace(bytes_per_second=rate, channel_url=URL, channel_token="secret", interval_seconds=0.1)
    return replace(task, pace=pace)


def files_of(folder: Path) -> set[Path]:
    return {each for each in folder.rglob("*") if each.is_file()}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The machine's temporary folder, for this test."""
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


@pytest.mark.parametrize("keyed", [True, False], ids=["key", "append"])
def test_a_stop_ends_a_large_compaction_and_leaves_no_file(lake: PaimonLake, scratch: Path, keyed: bool) -> None:
    lake.create(COLUMNS, primary_keys=["id"] if keyed else [], bucket="1" if keyed else "-1", write_only="true")
    for seed in range(3):
        lake.call("fill", rows=600, text_bytes=20_000, seed=seed)
    slow = {"file__compression__zstd_level": "19"}
    task = paced(tasks(lake, kind="bucket" if keyed else EXACT_FILES, **slow)[0])
    before, files = paths(lake), files_of(lake.folder)
    channel = Channel(lambda: bool(own_files(lake)))
    result = BucketCompaction(task=task, post=channel).run()
    assert channel.stopped_at is not None
    assert time.monotonic() - channel.stopped_at < 5
    assert (result.outcome, result.outputs, result.message) == ("stopped", (), "")
    assert (paths(lake), files_of(lake.folder), list(scratch.iterdir())) == (before, files, [])


@pytest.mark.parametrize("is_external", [False, True], ids=["inside", "external"])
def test_a_stop_while_the_bytes_are_paid_leaves_no_file(lake: PaimonLake, tmp_path: Path, is_external: bool) -> None:
    outside = {
        "data_file__external_paths": ",".join((tmp_path / name).as_uri() for name in ("first", "second")),
        "data_file__external_paths__strategy": "round-robin",
    }
    options = outside if is_external else {}
    lake.create(COLUMNS, bucket="-1", deletion_vectors__enabled="true", write_only="true", **options)
    for seed in range(3):
        lake.call("fill", rows=100, text_bytes=100, seed=seed)
    lake.call("delete", every=3)
    files = files_of(tmp_path)
    chosen = tasks(lake, kind=EXACT_FILES)[0]
    task = paced(replace(chosen, inputs=chosen.inputs[:2]), rate=100.0)
    channel = Channel(lambda: bool(channel.reports[-1]["bytes_written"]), rate=100.0)
    result = BucketCompaction(task=task, post=channel).run()
    assert result.outcome == "stopped"
    assert result.throttled_seconds > 0
    assert files_of(tmp_path) == files


def test_the_bytes_of_a_compaction_are_paid_for(lake: PaimonLake) -> None:
    lake.create(COLUMNS, primary_keys=["id"], bucket="1", write_only="true")
    for seed in range(3):
        lake.call("fill", rows=1000, text_bytes=1000, seed=seed)
    rate = 1_000_000.0
    channel = Channel(rate=rate)
    result = BucketCompaction(task=paced(tasks(lake)[0], rate), post=channel).run()
    moved = result.bytes_read + result.bytes_written
    assert result.outcome == "written"
    assert moved > rate
    assert result.throttled_seconds == pytest.approx(moved / rate, rel=0.3)
    last = channel.reports[-1]
    assert (last["bytes_read"] + last["bytes_written"], last["finished"]) == (moved, True)
