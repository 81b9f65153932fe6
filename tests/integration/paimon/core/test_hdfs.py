"""Compaction, commit and the removal of files on HDFS, which the core reaches with the jars of Spark."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from engine.formats.paimon.task.contract import ONE_BUCKET, CoreTask
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from engine.formats.paimon.task.tables import remove_files
from tests.support.paimon.compactions import HEAP, PREFIX, Commits, compact, paimon_jar
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import COLUMNS

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("core_child")]

NO_PARTITION = base64.b64encode(bytes(12)).decode()
"""The binary row without fields."""


def test_a_table_on_hdfs_is_compacted(hdfs: str, paimon_core: PaimonCore) -> None:
    table = {"warehouse": f"{hdfs}/lake", "table": "events"}
    options = {"bucket": "1", "write-only": "true"}
    keys: dict[str, Any] = {"partition_keys": [], "primary_keys": ["id"]}
    paimon_core.call("create", **table, columns=COLUMNS, options=options, **keys)
    for number in range(3):
        paimon_core.call("write", **table, rows=[[each, "d", float(number)] for each in range(20)])
    rows = paimon_core.call("values", **table)
    location = f"{hdfs}/lake/lake.db/events"
    task = CoreTask(
        "run", 1, 1, location, 0, NO_PARTITION, (), ONE_BUCKET, True, {}, paimon_jar(), HEAP, PREFIX
    )  # fmt: skip
    unused, result = compact(task), compact(replace(task, name_prefix="packhouse-run-2-1-"))
    assert [each.outcome for each in (unused, result)] == ["written", "written"], (unused, result)
    assert [one.path.startswith(f"{location}/bucket-0/packhouse-run-2-1-") for one in result.outputs] == [True]
    with CORE_PROCESSES.lend(task.jar, task.heap_bytes) as child:
        remove_files(child.jvm, folders=(f"{location}/bucket-0",), prefix=PREFIX, paths=())
    assert Commits(location).commit(unused).outcome == "failed"
    assert Commits(location).commit(result).outcome == "committed"
    assert paimon_core.call("values", **table) == rows
