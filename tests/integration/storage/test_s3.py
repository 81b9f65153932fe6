"""Whole rewrites of tables on S3: requests counted, large outputs in parts, keys that expire, s3 and s3a."""

import asyncio
import random
from collections import Counter

import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import schema_to_pyarrow

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import Run, RunState
from tests.integration.storage.conftest import Open
from tests.support.s3_server import BUCKET, Asked, S3Server
from tests.support.world import World


def orphans(s3: S3Server, world: World, run: Run) -> set[str]:
    """Return keys of the run's data files that the table does not have."""
    live = {path.partition(f"{BUCKET}/")[2] for path in world.lake.paths()}
    return {key for key in s3.stored() - live if run.id in key and key.endswith(".parquet")}


def uploads_left(s3: S3Server) -> int:
    """Count uploads of parts that were begun and neither completed nor aborted."""
    kinds = s3.kinds()
    return kinds["POST uploads"] - kinds["POST uploadId"] - kinds["DELETE uploadId"]


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
async def test_a_table_is_rewritten_and_proven(s3: S3Server, open_on_s3: Open, scheme: str) -> None:
    async with open_on_s3(scheme=scheme) as world:
        rows = world.lake.rows()
        run = await world.rewrite()
        assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
        assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
        assert {path.partition("://")[0] for path in world.lake.paths()} == {scheme}
        assert orphans(s3, world, run) == set()


async def test_the_requests_that_a_task_counts_are_those_that_the_server_sees(s3: S3Server, open_on_s3: Open) -> None:
    async with open_on_s3(days=1) as world:
        marks: list[int] = []
        world.at("rewriting", lambda: marks.append(len(s3.asked)))
        world.at("group_written", lambda: marks.append(len(s3.asked)))
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED
        seen = [each for each in s3.asked[marks[0] : marks[1]] if each.is_of_data_file]
        assert run.result.document["measured"]["requests"] == len(seen), seen


async def test_a_run_reads_each_version_of_the_metadata_once(s3: S3Server, open_on_s3: Open) -> None:
    async with open_on_s3(days=1) as world:
        run = await world.rewrite()
        asked = Counter(each.key for each in s3.asked if each.method == "GET" and each.key.endswith(".metadata.json"))
        assert run.state is RunState.SUCCEEDED
        assert asked
        assert set(asked.values()) == {1}


async def test_planning_asks_once_for_each_file_of_metadata(s3: S3Server, open_on_s3: Open) -> None:
    async with open_on_s3() as world:
        await world.container.observations.health(SYSTEM, world.table_id)
        asked = Counter((each.method, each.key) for each in s3.asked)
        manifests = [key for _, key in asked if key.endswith(".avro") and "/snap-" not in key]
        assert len(manifests) > 3
        assert {method for method, _ in asked} == {"GET"}
        assert [one for one in asked if asked[one] > 1 and one[1] in manifests] == []


async def test_large_outputs_are_sent_in_parts_as_predicted_and_none_is_left_open(
    s3: S3Server, open_on_s3: Open
) -> None:
    async with open_on_s3(days=0) as world:
        await asyncio.to_thread(append_incompressible, world, files=6, rows=80_000)
        rows = len(world.lake.ids())
        predicted = await requests_predicted(world)
        s3.asked.clear()
        marks: list[int] = []
        world.at("rewriting", lambda: marks.append(len(s3.asked)))
        world.at("group_written", lambda: marks.append(len(s3.asked)))
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        seen = [each for each in s3.asked[marks[0] : marks[1]] if each.is_of_data_file]
        measured = run.result.document["measured"]["requests"]
        assert measured == len(seen), seen
        assert abs(predicted - measured) <= 0.1 * measured, (predicted, measured)
        kinds = s3.kinds()
        assert (kinds["POST uploads"], kinds["PUT partNumber"] > 1, uploads_left(s3)) == (1, True, 0), kinds
        assert len(world.lake.ids()) == rows


async def test_requests_for_many_small_files_are_predicted_within_ten_percent(open_on_s3: Open) -> None:
    async with open_on_s3(files=20) as world:
        predicted = await requests_predicted(world)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED, run.detail
        measured = run.result.document["measured"]["requests"]
        assert abs(predicted - measured) <= 0.1 * measured, (predicted, measured)


async def requests_predicted(world: World) -> int:
    explained = await world.container.explain.explain(SYSTEM, world.table_id)
    return int(explained["now"]["cost"]["requests"])


@pytest.mark.parametrize("step", [pytest.param("rewriting", marks=pytest.mark.deep), "group_written", "before_commit"])
async def test_a_cancel_leaves_no_file_and_no_part(s3: S3Server, open_on_s3: Open, step: str) -> None:
    async with open_on_s3() as world:
        rows, run = world.lake.rows(), await world.submit()
        world.at(step, world.cancel_soon(run.id))
        run = await world.finish(run.id)
        assert orphans(s3, world, run) == set()
        assert uploads_left(s3) == 0
        assert world.lake.rows() == rows


async def test_files_of_a_dead_attempt_are_removed_by_their_prefix(s3: S3Server, open_on_s3: Open) -> None:
    async with open_on_s3() as world:
        run = await world.submit()
        world.at("group_written", world.steal_lease(run.id))
        await world.container.worker.advance(run.id)
        assert orphans(s3, world, run)
        await world.expire_lease(run.id)
        run = await world.finish(run.id)
        assert run.state is RunState.SUCCEEDED, run.detail
        assert orphans(s3, world, run) == set()


@pytest.mark.parametrize("method", ["GET", "PUT"])
async def test_a_key_that_expires_during_a_task_is_replaced_and_the_run_goes_on(
    s3: S3Server, open_on_s3: Open, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The task can't get another key; the next attempt takes the one that the secret holds by then."""
    async with open_on_s3() as world:
        rows, run = world.lake.rows(), await world.submit()

        def expire(asked: Asked) -> None:
            if asked.method == method and asked.is_of_data_file:
                s3.expired.add("packhouse")

        s3.on_request = expire
        await world.container.worker.advance(run.id)
        waiting = await world.get(run.id)
        assert s3.refused > 0
        assert (waiting.state, waiting.waiting_for) == (RunState.QUEUED, "retry"), waiting.detail
        assert "credentials" in str(waiting.detail), waiting.detail
        monkeypatch.setenv("TEST_S3_KEY", "renewed")
        world.make_due(run.id)
        run = await world.finish(run.id)
        assert run.state is RunState.SUCCEEDED, run.detail
        assert world.lake.rows() == rows
        assert (orphans(s3, world, run), uploads_left(s3)) == (set(), 0)


async def test_an_input_that_is_gone_is_a_fault_of_its_group(s3: S3Server, open_on_s3: Open) -> None:
    """The storage answers, and says that there is no such file: to wait would not help."""
    async with open_on_s3() as world:
        victim = next(path for path in world.lake.paths() if "2026-11-02" in path)
        s3.file_system().delete_file(victim.partition("://")[2])
        run = await world.rewrite()
        assert (run.state, run.reason, run.result.groups_committed) == (RunState.SUCCEEDED, "committed", 2)
        assert run.result.document["left_out"]["reasons"] == {"unreadable": 1}
        assert victim in str(run.detail)


def append_incompressible(world: World, *, files: int, rows: int) -> None:
    """Append files of one partition whose notes are random: together they take several parts."""
    schema = schema_to_pyarrow(world.lake.table.schema(), include_field_ids=False)
    for number in range(files):
        ids = range(number * rows, (number + 1) * rows)
        notes = [random.randbytes(48).hex() for _ in ids]
        columns = [list(ids), ["2026-11-01"] * rows, [None] * rows, notes]
        world.lake.table.append(pa.table([pa.array(*each) for each in zip(columns, schema.types, strict=True)], schema))
