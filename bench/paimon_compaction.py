"""Compaction of one bucket of a Paimon table by Packhouse, beside Paimon's core called directly in one JVM.

Both compact copies of the same table in full, each with a JVM that has compacted before. Packhouse plans, runs the
task, commits and proves; the core compacts and commits. Append tables are merged by Packhouse's kernel, and by the core
as for `rewrite.engine: native`. CPU seconds are those of the JVM, for Packhouse also its own.

    python -m bench.paimon_compaction [--rows 200000] [--files 4] [--json paimon.json]
"""

import argparse
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.facts import machine_facts, print_table, write_json
from bench.processes import timed, tree_cpu_seconds
from engine.formats.base import Engine
from engine.formats.paimon.rewrite.heap import COMMIT_HEAP_BYTES
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from tests.support.format_subjects import local_core
from tests.support.paimon.core import PaimonCore, open_core
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import compacted_by_packhouse

TEXT_BYTES = 120
WARM_ROWS = 1000
COLUMNS = [("id", "BIGINT NOT NULL"), ("text", "STRING")]
KINDS: Mapping[str, Mapping[str, str]] = {
    "append, by the kernel": {"bucket": "-1"},
    "append, by the core": {"bucket": "-1"},
    "key": {"bucket": "1", "write_only": "true"},
    "key, vectors": {"bucket": "1", "write_only": "true", "deletion_vectors__enabled": "true"},
    "key, lookup": {"bucket": "1", "write_only": "true", "changelog_producer": "lookup"},
}


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="rows of each file")
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    with TemporaryDirectory(prefix="bench-paimon-") as folder, open_core(Path(folder) / "log") as core:
        for kind in KINDS:
            _measured(core, Path(folder) / "warm" / kind, kind, WARM_ROWS, given.files)
            rows.append(_measured(core, Path(folder) / "real" / kind, kind, given.rows, given.files))
    CORE_PROCESSES.close()
    print_table(rows)
    write_json(given.json, {"benchmark": "compaction of Paimon tables", "machine": machine_facts(), "rows": rows})


def _measured(core: PaimonCore, root: Path, kind: str, rows: int, files: int) -> dict[str, Any]:
    ours, twin = PaimonLake(core, root / "ours"), PaimonLake(core, root / "twin")
    is_keyed = kind.startswith("key")
    ours.create(COLUMNS, primary_keys=["id"] if is_keyed else [], **KINDS[kind])
    for seed in range(files):
        ours.call("fill", rows=rows, text_bytes=TEXT_BYTES, seed=seed)
    shutil.copytree(ours.root, twin.root)
    size = sum(row["file_bytes"] for row in ours.open().digest().to_pylist())

    def by_the_core() -> None:
        if is_keyed:
            twin.call("compact", full=True, options={"write-only": "false"})
        else:
            twin.call("compact_unaware")

    peer = timed(by_the_core, lambda: tree_cpu_seconds(core.pid))
    engine = Engine.ARROW if kind == "append, by the kernel" else Engine.NATIVE
    own = timed(
        lambda: compacted_by_packhouse(ours, engine=engine), lambda: time.process_time() + tree_cpu_seconds(_child())
    )
    return {
        "table": kind,
        "mb": round(size / 1e6, 1),
        "ours_mb_s": round(size / 1e6 / own[0], 1),
        "core_mb_s": round(size / 1e6 / peer[0], 1),
        "ours_mb_cpu_s": round(size / 1e6 / own[1], 1),
        "core_mb_cpu_s": round(size / 1e6 / peer[1], 1),
        "times_the_core": round(peer[0] / own[0], 2),
    }


def _child() -> int:
    """Return the process id of the JVM that Packhouse's tasks use in this process."""
    with CORE_PROCESSES.lend(local_core().jar(), COMMIT_HEAP_BYTES) as child:
        return child.pid


if __name__ == "__main__":
    main()
