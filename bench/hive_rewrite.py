"""Compaction of one partition of a Hive table by Packhouse, beside Spark's `INSERT OVERWRITE` of the same partition.

Both read the same files, written by PyArrow without field ids, and write one partition with zstd: Packhouse to a new
folder, which it proves and puts in place; Spark to the partition of another table, in one task. A first round, in which
Spark compiles most of its code, is not shown. CPU seconds are those of this process, and of Spark's; `ours_mb` and
`spark_mb` are the sizes of the outputs. Spark compresses with level 3, the default of parquet-mr; so does Packhouse
where it encodes, while pages that it copies keep the level of the inputs: 1, PyArrow's default. All values of `id`,
`value` and `text` are different.

    python -m bench.hive_rewrite [--files 100] [--rows 20000] [--rounds 3] [--json hive.json]
"""

import argparse
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bench.facts import machine_facts, print_table, write_json
from bench.processes import timed, tree_cpu_seconds
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.requests import RunRequest
from engine.domain.tables.table import TableRef
from engine.embedded.spark import EmbeddedSpark
from engine.formats.base import CommitRequest
from engine.formats.hive import HiveFormat
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.contract import SentTask
from engine.services.operations.rewrite.task_path import rewrite_settings
from engine.services.planning.engines import choose_engine
from engine.services.planning.planner import plan_run
from engine.spark.sessions import SparkSessions
from tests.support.hive.lakes import HiveLake, HiveTable, files_in, path_of
from tests.support.hive.metastore import open_metastore
from tests.support.kernel_groups import written_group
from tests.support.planning import policy_of

COLUMNS = [("id", "bigint"), ("value", "double"), ("kind", "string"), ("text", "string")]
KEYS = [("day", "string")]
DAY = "2026-11-01"
TEXT_BYTES = 60


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of each file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-hive-") as folder, open_metastore(Path(folder)) as metastore:
        lake = HiveLake(metastore, Path(folder) / "lake").create()
        confs = {
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.hive.metastore.uris": metastore.uri,
            "spark.sql.parquet.compression.codec": "zstd",
        }
        server = EmbeddedSpark(data_dir=Path(folder) / "spark", cores=2, confs=confs)
        sessions = SparkSessions(url=server.start(), user_id="bench")
        try:
            _measured(lake, server, sessions, "warm", (given.files, given.rows))
            rows = [
                _measured(lake, server, sessions, f"round_{number}", (given.files, given.rows))
                for number in range(1, given.rounds + 1)
            ]
        finally:
            sessions.close()
            server.stop()
    print_table(rows)
    write_json(given.json, {"benchmark": "compaction of a Hive partition", "machine": machine_facts(), "rows": rows})


def _measured(
    lake: HiveLake, server: EmbeddedSpark, sessions: SparkSessions, name: str, amount: tuple[int, int]
) -> dict[str, Any]:
    files, rows = amount
    table, twin = lake.create_table(name, COLUMNS, KEYS), lake.create_table(f"{name}_twin", COLUMNS, KEYS)
    size = _filled(table, files, rows)
    insert = (
        f"INSERT OVERWRITE TABLE lake.{twin.name} PARTITION (day = '{DAY}') "
        f"SELECT /*+ COALESCE(1) */ id, value, kind, text FROM lake.{name} WHERE day = '{DAY}'"
    )
    pid = server.pid
    assert pid is not None
    peer = timed(lambda: sessions.get().sql(insert).collect(), lambda: tree_cpu_seconds(pid))
    own = timed(lambda: _compacted(table), time.process_time)
    assert len(table.rows()) == len(twin.rows()) == files * rows
    return {
        "round": name,
        "mb": round(size / 1e6, 1),
        "files": files,
        "ours_mb": _stored_mb(table),
        "spark_mb": _stored_mb(twin),
        "ours_s": own[0],
        "spark_s": peer[0],
        "ours_cpu_s": own[1],
        "spark_cpu_s": peer[1],
        "times_by_cpu": round(peer[1] / own[1], 2),
    }


def _filled(table: HiveTable, files: int, rows: int) -> int:
    random, size = Random(1), 0
    folder = table.default_location([DAY])
    folder.mkdir(parents=True)
    for number in range(files):
        ids = range(number * rows, (number + 1) * rows)
        columns = {
            "id": pa.array(ids, pa.int64()),
            "value": pa.array([random.random() for _ in ids]),
            "kind": pa.array([f"kind-{each % 20}" for each in ids]),
            "text": pa.array([random.randbytes(TEXT_BYTES // 2).hex() for _ in ids]),
        }
        path = folder / f"part-{number:05}.parquet"
        pq.write_table(pa.table(columns), path, compression="zstd")
        size += path.stat().st_size
    table.add_partition([DAY], folder)
    return size


def _stored_mb(table: HiveTable) -> float:
    (partition,) = table.partitions()
    return round(sum(path.stat().st_size for path in files_in(path_of(partition.sd.location))) / 1e6, 1)


def _compacted(table: HiveTable) -> None:
    """Plan, rewrite, commit and prove, as a run does."""
    connection = HiveFormat().connect("lake", {"type": "metastore", "uri": table.metastore.uri})
    ref = TableRef("lake", (table.database,), table.name)
    policy = policy_of({"maintenance": {"delete_old_compactions": {"grace": "1d"}}})
    chosen = choose_engine(connection.open_table(ref), policy)
    plan = plan_run(chosen, RunRequest(), NO_STATISTICS, NONE_HOT)
    opened = chosen.table
    settings = rewrite_settings(policy, plan, full=False)
    kernel = chosen.engine
    tasks = [(each, kernel.task(each, run_id="run_1", attempt=1, settings=settings)) for each in plan.groups]
    storage = dict(kernel.task_storage())
    groups = tuple(written_group(group, run_task(SentTask(task, storage=storage).to_json())) for group, task in tasks)
    request = CommitRequest("run_1", 1, opened.head_snapshot_id or 0, opened.schema_id, groups)
    outcome = opened.commits.commit(request, before_try=lambda: None)
    assert outcome.snapshot_id is not None, outcome
    assert opened.commits.prove(outcome.snapshot_id, groups).ok


if __name__ == "__main__":
    main()
