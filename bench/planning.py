"""B6 and B7: a cold plan of two million files in 40,000 partitions, and the same after one more commit.

The table exists in metadata only, with the manifests of a real writer (see `bench/large_table.py`). Cold: a process
that has just started opens the table, reads all manifests, judges every rule of the policy and plans what is due. Warm:
the same process does it again after a writer appended one file. "files/s" are live files by the CPU seconds of the
process, all its threads together. The peer plans as well: PyIceberg's `plan_files`, in a process of its own, on a table
of a tenth of the files since it makes an object for each; it neither judges nor packs them.

    python -m bench.planning [--files 2000000] [--partitions 40000] [--json planning.json]
    python -m cProfile -s cumtime -m bench.planning --measure-in <folder>  # a folder that --keep left
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pyiceberg.catalog.sql import SqlCatalog

from bench.facts import machine_facts, print_table, write_json
from bench.large_table import NAME, append_file, make_catalog, make_large_table
from engine.domain.policies import EffectivePolicy, PolicyDocument, effective_policy
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.tables.table import TableRef
from engine.formats.base import CatalogConnection, Engine
from engine.formats.iceberg.connection import IcebergFormat
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.services.planning.due_partitions import evaluate_now
from engine.services.planning.engines import EngineChoice
from engine.services.planning.planner import plan_due
from engine.stores.runs.histories import CommittedPartitions

PEER_PART: Final = 10
GOALS: Final = {"cold": "100,000 files/s and core, below 1 GB", "warm": "below 1 s"}


@dataclass
class Stopwatch:
    """Wall and CPU seconds of the parts of one plan."""

    parts: dict[str, tuple[float, float]] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time a part."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.parts[name] = (time.perf_counter() - wall, time.process_time() - cpu)

    def total(self) -> tuple[float, float]:
        """Return the sums."""
        return sum(wall for wall, _ in self.parts.values()), sum(cpu for _, cpu in self.parts.values())


def main() -> None:
    """Make both tables, then measure each contender in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2_000_000)
    parser.add_argument("--partitions", type=int, default=40_000)
    parser.add_argument("--keep", type=Path, help="a folder for the tables, which stay")
    parser.add_argument("--measure-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--peer-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.measure_in is not None:
        print(json.dumps(_measured(given.measure_in)))
        return
    if given.peer_in is not None:
        print(json.dumps(_peer(given.peer_in)))
        return
    with TemporaryDirectory(prefix="bench-planning-") as scratch:
        folder = given.keep or Path(scratch)
        for name, part in (("whole", 1), ("part", PEER_PART)):
            catalog, _ = make_catalog(folder / name)
            make_large_table(catalog, files=given.files // part, partitions=given.partitions // part)
        rows = [*_child("--measure-in", folder / "whole"), *_child("--peer-in", folder / "part")]
    print_table(rows)
    print("goals: " + "; ".join(f"{name}: {goal}" for name, goal in GOALS.items()))
    write_json(given.json, {"benchmark": "B6, B7", "machine": machine_facts(), "rows": rows})


def _child(option: str, folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "bench.planning", option, str(folder)]
    answer: list[dict[str, Any]] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def _measured(folder: Path) -> list[dict[str, Any]]:
    properties = {
        "type": "sql",
        "uri": f"sqlite:///{folder / 'catalog.db'}",
        "warehouse": (folder / "lake").as_uri(),
    }
    connection = IcebergFormat().connect("lake", properties)
    own = PolicyDocument.model_validate({"preset": "balanced"})
    policy = effective_policy(table_properties={}, own=own)
    rows = [_planned("cold", connection, policy)]
    append_file(SqlCatalog("lake", **properties).load_table(NAME), "day-0000-00")
    return [*rows, _planned("warm", connection, policy)]


def _planned(name: str, connection: CatalogConnection, policy: EffectivePolicy) -> dict[str, Any]:
    watch = Stopwatch()
    with watch.part("open"):
        opened = connection.open_table(TableRef("lake", NAME[:1], NAME[1]))
    with watch.part("digest"):
        files = opened.digest().num_rows
    with watch.part("judge"):
        chosen = EngineChoice(opened.engines[Engine.ARROW], opened, policy, ())
        evaluation = evaluate_now(chosen, CommittedPartitions([], None), datetime.now(UTC), NONE_HOT)
    with watch.part("plan"):
        plan = plan_due(chosen, evaluation, NO_STATISTICS, NONE_HOT)
    groups = 0 if plan is None else len(plan.plan.groups)
    return _row(f"{name} plan", files, watch, groups=groups, parts=watch.parts)


def _peer(folder: Path) -> list[dict[str, Any]]:
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder / 'catalog.db'}", warehouse=(folder / "lake").as_uri())
    watch = Stopwatch()
    with watch.part("plan_files"):
        files = sum(1 for _ in catalog.load_table(NAME).scan().plan_files())
    return [_row("PyIceberg plan_files", files, watch, groups=0, parts=watch.parts)]


def _row(
    name: str, files: int, watch: Stopwatch, *, groups: int, parts: Mapping[str, tuple[float, float]]
) -> dict[str, Any]:
    wall, cpu = watch.total()
    return {
        "what": name,
        "files": files,
        "groups": groups,
        "seconds": wall,
        "cpu_seconds": cpu,
        "files/s_and_core": files / cpu,
        "peak_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "parts": ", ".join(f"{part} {wall:.2g} s" for part, (wall, _) in parts.items()),
    }


if __name__ == "__main__":
    main()
