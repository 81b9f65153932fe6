"""Every script of `bench/` runs to its end at a small size: a figure that can't be measured again is no figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALLEST = {
    "accepts": "--requests 30 --rounds 1 --connections 4 --tables 90 --runs 100",
    "bulkheads": "--requests 5 --rate 10 --hammer 2",
    "clustering": "--rows 20000 --files 8 --queries 5",
    "delete_files": "--files 12 --partitions 2 --rows 10 --rounds 1",
    "due_to_started": "--tables 50 --seconds 5 --commits-per-second 2",
    "estimates": "--rounds 1 --cores 1",
    "expiry": "--snapshots 10 --files 100 --live 50 --repeats 1",
    "foreground": "--rounds 1 --queries 1 --megabytes 96",
    "hive_listing": "--partitions 20",
    "hive_rewrite": "--files 4 --rows 100 --rounds 1",
    "hour": "--minutes 0.5",
    "kernel": "--tiny --repeats 1",
    "lineage": "--cases plain --megabytes 8 --repeats 1",
    "listings": "--tables 300 --runs 3000 --files 10 --asks 2",
    "manifest_reads": "--manifests 5 --latencies 0",
    "manifests": "--manifests 50 --entries 2 --rounds 1",
    "native_cancel": "--megabytes 16 --repeats 1",
    "object_store": "--files 5 --kilobytes 20 --latencies 0 --repeats 1",
    "ordering": "--megabytes 8 --repeats 1 --memory 4",
    "orphans": "--files 3000 --only-ours",
    "pacing": "--limits 20 --tasks 1 --runs 1 --seconds 12",
    "packing": "--files 1000",
    "paimon_compaction": "--rows 100 --files 2",
    "paimon_digest": "--buckets 5 --files 50",
    "pickup": "--runs 3",
    "planning": "--files 200 --partitions 10",
    "queries": "--commits 2 --files 3 --rows 500 --deletes 2 --rounds 1",
    "quiet_hours": "--megabytes 16 --lead 25 --window 6",
    "readers": "--files 5 --rounds 1",
    "rewrite": "--cases B2 --megabytes 8 --repeats 1",
    "sizing": "--tables 100 --seconds 6 --runs-a-table 2",
    "store_faults": "--minutes 0.2 --files 20",
    "store_rewrite": "--files 5 --kilobytes 20 --latencies 0",
    "sweep": "--tables 50",
    "task_memory": "--latency 0 --tasks 1",
    "wide_tables": "--columns 50 --depths 5 --files 2 --megabytes 1",
    "console": "--tables 20 --runs 2400 --scroll-runs 50 --partitions 20 --minutes 0.1",
    "fleet": "storm",
}
STARTED_BY_ANOTHER = {"bare"}
WITHOUT_JSON = {"store_faults", "task_memory", "fleet"}


def test_every_script_has_a_smallest_size() -> None:
    scripts = {path.stem for path in (ROOT / "bench").glob("*.py") if '__name__ == "__main__"' in path.read_text()}
    assert scripts | {path.parent.name for path in (ROOT / "bench").glob("*/__main__.py")} == {
        *SMALLEST,
        *STARTED_BY_ANOTHER,
    }


@pytest.mark.deep
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SMALLEST)
def test_a_script_runs_to_its_end(name: str, tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", f"bench.{name}", *SMALLEST[name].split()]
    if name not in WITHOUT_JSON:
        command += ["--json", str(figures)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout
    assert name in WITHOUT_JSON or json.loads(figures.read_text())
