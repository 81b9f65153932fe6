"""Hive-style tables in AWS Glue and S3: discovered, rewritten beside writers and faults, and refused by name."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Away, NotFound, StateConflict, TableUnreadable
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.hive import HiveFormat
from engine.formats.hive.catalog import glue as glue_catalog
from engine.formats.hive.catalog.roles import NotChanged, Unanswered
from engine.formats.hive.connection import HiveConnection, open_catalog
from tests.support.attempts import resumed_from
from tests.support.glue_server import GlueServer
from tests.support.hive.glue_lakes import ADDRESS, STORAGE, TABLE, GlueLake
from tests.support.hive.glue_metastores import resolved
from tests.support.hive.worlds import served
from tests.support.moved_clock import MovedClock
from tests.support.settings import settings_of
from tests.support.world import World, open_on

DAYS = ("2026-11-01", "2026-11-02")
DAY = DAYS[0]
REF = TableRef("lake", ("lake",), "events")
POLICY = {
    "rewrite": {"min_input_files": 2},
    "maintenance": {"delete_old_compactions": {"grace": "1h", "interval": "1h"}},
}


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glue_catalog, "_LOOK_PAUSES", (0.0, 0.01))
    monkeypatch.setattr(glue_catalog, "_THROTTLED_PAUSES", (0.01, 0.01))


@pytest.fixture
async def world(
    glue: GlueServer, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[GlueLake]]:
    lake = await asyncio.to_thread(lambda: GlueLake(glue).create(DAYS, files=4))
    settings = settings_of(tmp_path, database_url=sqlite_url, redis_url=redis_url, lease_seconds=30, watch=False)
    async with open_on(lake, settings, formats=served) as opened:
        await opened.set_policy(POLICY)
        yield opened


def connect(glue: GlueServer, **more: str) -> HiveConnection:
    return HiveFormat(pause=0).connect("lake", {**resolved(glue.settings()), **more})


def without(entry: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


async def test_a_table_is_discovered_rewritten_undone_and_its_old_folders_deleted(
    world: World[GlueLake], glue: GlueServer
) -> None:
    found = await world.container.discovery.discover(SYSTEM, "lake", "lake.*")
    assert [str(each.ref.name) for each in found.tables] == ["events"]
    steps = await world.container.catalogs.check(SYSTEM, "lake")
    assert [(each.name, each.ok) for each in steps][-2:] == [("read_table", True), ("may_commit", True)], steps
    before, table = {day: world.lake.partition(day) for day in DAYS}, glue.entry("lake", "events")
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 2), run.detail
    assert world.lake.rows() == world.lake.wanted()
    for day in DAYS:
        after = world.lake.partition(day)
        assert without(after["StorageDescriptor"], "Location") == without(before[day]["StorageDescriptor"], "Location")
        assert without(after["Parameters"], "packhouse.compaction") == before[day]["Parameters"]
        location = after["StorageDescriptor"]["Location"]
        assert (f"/_compacted/day={day}/compaction_id=1/" in location, location[-1]) == (True, "/")
    assert glue.entry("lake", "events") == table
    assert glue.calls["UpdatePartition"] == len(DAYS) + 1, "and the check's"
    await (await MovedClock.of(world.container.database)).pass_by(hours=2)
    run = await world.finish((await world.submit(RunRequest(Operation.DELETE_OLD_COMPACTIONS))).id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert not [key for key in glue.stored() if "/day=" in key and "_compacted" not in key]
    assert world.lake.rows() == world.lake.wanted()


@pytest.mark.parametrize("step", ["before_commit", "commit_marked", "after_commit"])
async def test_a_run_that_is_killed_at_the_swap_ends_with_each_row_once(world: World[GlueLake], step: str) -> None:
    done = await resumed_from(world, await world.submit(), step)
    assert done.state is RunState.SUCCEEDED, done.detail
    assert world.lake.rows() == world.lake.wanted()


async def test_a_proof_that_fails_gives_the_partition_its_folder_back(world: World[GlueLake]) -> None:
    def damage() -> None:
        for key, size in world.lake.server.sizes().items():
            if "/_compacted/" in key and key.endswith(".parquet"):
                world.lake.server.put(key, bytes(size))

    world.at("after_commit", damage)
    before = world.lake.partition(DAY)["StorageDescriptor"]
    run = await world.rewrite()
    assert (run.state, "it was rolled back" in str(run.detail)) == (RunState.FAILED, True), run.detail
    assert world.lake.rows() == world.lake.wanted()
    assert world.lake.partition(DAY)["StorageDescriptor"] == before


async def test_an_answer_that_is_lost_is_read_back_and_the_request_sent_once(
    world: World[GlueLake], glue: GlueServer
) -> None:
    glue.lost_after.append("UpdatePartition")
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert glue.calls["UpdatePartition"] == len(DAYS)
    assert world.lake.rows() == world.lake.wanted()


async def test_rows_that_were_overwritten_at_the_swap_are_found_by_readers(
    world: World[GlueLake], glue: GlueServer
) -> None:
    """Glue has no conditional change: the partition gets its old folder back."""
    left = [1]

    def overwrite() -> None:
        if left:
            left.pop()
            world.lake.overwrite(DAY)

    glue.before_update = overwrite
    assert (await world.rewrite()).is_terminal
    assert world.lake.rows() == world.lake.wanted()
    assert world.lake.folder(DAY) == f"events/day={DAY}"


async def test_a_throttled_glue_is_waited_for(world: World[GlueLake], glue: GlueServer) -> None:
    glue.refusals["UpdatePartition"] = ["ThrottlingException"] * 2
    run = await world.submit()
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    world.lake.append(DAY)
    glue.refusals["GetPartition"] = ["ThrottlingException"] * 200
    run = await world.submit()
    await world.container.worker.advance(run.id)
    assert (await world.get(run.id)).state is RunState.QUEUED
    glue.refusals.clear()
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert world.lake.rows() == world.lake.wanted()


@pytest.mark.parametrize("code", ["AccessDeniedException", "ExpiredTokenException", "InvalidInputException"])
async def test_a_change_that_glue_refuses_fails_the_run_and_says_why(
    world: World[GlueLake], glue: GlueServer, code: str
) -> None:
    glue.refusals["UpdatePartition"] = [code] * 200
    run = await world.rewrite()
    assert run.state is RunState.FAILED
    assert code in str(run.detail), run.detail
    assert world.lake.rows() == world.lake.wanted()
    glue.refusals.clear()
    assert (await world.rewrite()).state is RunState.SUCCEEDED, "no mark of the refused change holds it back"


def moved(lake: GlueLake) -> tuple[Any, Any]:
    """Return a partition's entry as it is, and with a location and a parameter of a rewrite."""
    catalog = open_catalog(resolved(lake.properties))
    before, changed = (catalog.partition("lake", "events", [DAY]) for _ in range(2))
    assert before is not None
    assert changed is not None
    changed.sd.location = "s3://lake/events/_compacted/new"
    changed.parameters["packhouse.compaction"] = "{}"
    return before, changed


Act = Callable[[GlueServer, GlueLake], object]


@pytest.mark.parametrize(
    ("act", "error", "is_changed"),
    [
        pytest.param(lambda _glue, _lake: None, None, True, id="answered"),
        pytest.param(lambda glue, _: glue.lost_after.append("UpdatePartition"), None, True, id="lost after"),
        pytest.param(
            lambda glue, _: glue.refusals.update(UpdatePartition=["InternalServiceException"]),
            Unanswered, False, id="lost before",
        ),
        pytest.param(
            lambda glue, _: glue.refusals.update(UpdatePartition=["OperationTimeoutException"]),
            Unanswered, False, id="timed out",
        ),
        pytest.param(
            lambda glue, _: glue.refusals.update(UpdatePartition=["ThrottlingException"] * 9),
            Away, False, id="throttled",
        ),
        pytest.param(
            lambda glue, _: glue.refusals.update(UpdatePartition=["AccessDeniedException"]),
            StateConflict, False, id="denied",
        ),
        pytest.param(lambda _, lake: alter(lake, Parameters={"numRows": "7"}), NotChanged, False, id="changed before"),
        pytest.param(lambda _, lake: drop(lake), NotChanged, False, id="dropped before"),
        pytest.param(
            lambda glue, lake: setattr(glue, "before_update", lambda: drop(lake)), NotChanged, False, id="dropped"
        ),
        pytest.param(
            lambda glue, lake: setattr(glue, "after_update", lambda: alter(lake, Parameters={"owner": "etl"})),
            None, False, id="changed after",
        ),
        pytest.param(
            lambda glue, lake: setattr(glue, "after_update", lambda: alter(lake)), Unanswered, False, id="not seen",
        ),
    ],
)  # fmt: skip
def test_the_outcome_of_a_change_is_read_and_never_guessed(
    glue: GlueServer, act: Act, error: type[Exception] | None, *, is_changed: bool
) -> None:
    lake = GlueLake(glue).create([DAY], files=1)
    catalog, (before, changed) = open_catalog(resolved(lake.properties)), moved(lake)
    act(glue, lake)
    if error is None:
        catalog.change_partition("lake", "events", changed, before)
    else:
        with pytest.raises(error):
            catalog.change_partition("lake", "events", changed, before)
    assert glue.calls["UpdatePartition"] <= (1 if error is not Away else 3)
    present = catalog.partition("lake", "events", [DAY])
    assert (present is not None and present.sd.location == changed.sd.location) is is_changed


def drop(lake: GlueLake) -> None:
    lake.glue.delete_partition(**ADDRESS, PartitionValues=[DAY])


def alter(lake: GlueLake, **more: Any) -> None:
    """Change a partition as another client does that knows its first entry."""
    storage = {**STORAGE, "Location": f"s3://lake/events/day={DAY}/"}
    made = {"Values": [DAY], "StorageDescriptor": storage, "Parameters": {"recordCount": "20"}, **more}
    lake.glue.update_partition(**ADDRESS, PartitionValueList=[DAY], PartitionInput=made)


def with_parameters(**parameters: str) -> dict[str, Any]:
    return {"Parameters": {**TABLE["Parameters"], **parameters}}


def with_storage(**members: Any) -> dict[str, Any]:
    return {"StorageDescriptor": {**STORAGE, **members}}


REFUSED: Mapping[str, tuple[dict[str, Any], str, str]] = {
    "projection": (
        with_parameters(**{"projection.enabled": "true", "storage.location.template": "s3://lake/${day}"}),
        "known_parameters", "partitions are computed",
    ),
    "crawler": (with_parameters(UPDATED_BY_CRAWLER="nightly"), "known_parameters", "exclude `_compacted/**`"),
    "lake formation": ({"IsRegisteredWithLakeFormation": True}, "known_parameters", "IsRegisteredWithLakeFormation"),
    "rows by user": ({"RLSProperties": {"DefaultRLSPolicy": "p"}}, "known_parameters", "glue:RLSProperties"),
    "federated table": ({"FederatedTable": {"ConnectionName": "c"}}, "known_parameters", "glue:FederatedTable"),
    "a view of dialects": ({"IsMultiDialectView": True}, "known_parameters", "the entry is a view"),
    "header lines": (with_parameters(**{"skip.header.line.count": "1"}), "known_parameters", "skip.header.line.count"),
    "another classification": (with_parameters(classification="csv"), "known_parameters", "classification is 'csv'"),
    "encrypted": (with_parameters(has_encrypted_data="true"), "known_parameters", "encrypted by the client"),
    "a column's parameter": (
        with_storage(Columns=[{"Name": "id", "Type": "bigint", "Parameters": {"odd": "1"}}]),
        "known_parameters", "glue:Columns.odd is not a known parameter",
    ),
    "more locations": (with_storage(AdditionalLocations=["s3://lake/b"]), "known_storage", "glue:AdditionalLocations"),
    "subfolders": (with_storage(StoredAsSubDirectories=True), "known_storage", "glue:StoredAsSubDirectories"),
    "registry": (with_storage(SchemaReference={"SchemaVersionId": "1"}), "known_storage", "glue:SchemaReference"),
    "buckets": (with_storage(BucketColumns=["id"], NumberOfBuckets=4), "not_bucketed", "buckets: id"),
    "managed": ({"TableType": "MANAGED_TABLE"}, "external", "make the table external"),
    "purged": (with_parameters(**{"external.table.purge": "true"}), "external", "make the table external"),
}  # fmt: skip
"""Features of other writers: parts of an entry, the condition that refuses it, and a part of its words."""


@pytest.mark.parametrize("feature", REFUSED)
def test_features_that_a_rewrite_would_break_are_listed_and_refused_by_name(glue: GlueServer, feature: str) -> None:
    changes, condition, words = REFUSED[feature]
    GlueLake(glue).create([DAY], files=2)
    entry = {**TABLE, "DatabaseName": "lake", "VersionId": "1", **changes}
    glue.answers = {"GetTable": lambda _: {"Table": entry}, "GetTables": lambda _: {"TableList": [entry]}}
    connection = connect(glue)
    assert connection.list_tables(5).identifiers == (("lake", "events"),)
    found = {each.name: each for each in connection.open_table(REF).engines[Engine.ARROW].conditions()}
    assert [name for name, each in found.items() if not each.holds] == [condition]
    assert words in found[condition].detail


def test_a_table_without_partition_keys_is_measured_and_refused_with_the_remedy(glue: GlueServer) -> None:
    lake = GlueLake(glue).create([], files=0, table={**TABLE, "PartitionKeys": []})
    glue.put("events/part-0.parquet", b"PAR1")
    assert lake.open().digest()["partition"].to_pylist() == ["{}"]
    (refused,) = [each for each in lake.open().engines[Engine.ARROW].conditions() if not each.holds]
    assert refused.name == "partitioned"
    assert "create it with a partition key" in refused.detail


def test_an_administrator_can_declare_that_a_crawler_leaves_rewrites_alone(glue: GlueServer) -> None:
    lake = GlueLake(glue).create([DAY], files=2, table={**TABLE, **with_parameters(UPDATED_BY_CRAWLER="nightly")})
    conditions = connect(glue, **{"meaningless-parameters": "glue:crawler"}).open_table(REF).engines[Engine.ARROW]
    assert {each.name: each.holds for each in conditions.conditions()}["known_parameters"]
    assert lake.rows() == lake.wanted()


OTHERS: Mapping[str, tuple[dict[str, Any], str]] = {
    "iceberg": (with_parameters(table_type="ICEBERG", metadata_location="s3://lake/m.json"), "a table of iceberg"),
    "delta": (with_parameters(**{"spark.sql.sources.provider": "delta"}), "a table of delta"),
    "hudi": (with_storage(InputFormat="org.apache.hudi.hadoop.HoodieParquetInputFormat"), "of another format"),
    "symlinks": (with_storage(InputFormat="org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat"), "are not Parquet"),
    "view": ({"TableType": "VIRTUAL_VIEW"}, "it is a view"),
    "governed": ({"TableType": "GOVERNED"}, "its kind is 'GOVERNED'"),
    "no kind": ({"TableType": None}, "its kind is ''"),
    "transactional": (with_parameters(transactional="true"), "a transactional table"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_tables_of_other_formats_in_the_same_catalog_are_not_taken_for_hive_tables(
    glue: GlueServer, other: str
) -> None:
    changes, words = OTHERS[other]
    GlueLake(glue).create([DAY], files=1)
    entry = {**TABLE, "DatabaseName": "lake", **changes}
    glue.answers = {"GetTable": lambda _: {"Table": entry}, "GetTables": lambda _: {"TableList": [entry]}}
    assert connect(glue).list_tables(5).identifiers == ()
    with pytest.raises(TableUnreadable, match=words):
        connect(glue).open_table(REF)


def test_tasks_get_the_credentials_of_the_role(glue: GlueServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients of stores in Spark's tasks can't assume it: they get its keys, and renew them as vended ones."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", glue.url)
    GlueLake(glue).create([DAY], files=1)
    opened = connect(glue, **{"client.role-arn": "arn:aws:iam::123456789012:role/lake"}).open_table(REF)
    storage = opened.engines[Engine.ARROW].task_storage()
    assert storage["s3.session-token"]
    assert not any(name.startswith(("client.", "glue.")) for name in storage)
    assert {each.access_key for each in glue.asked if each.kind == "GET list-type"} - {"watcher"} == {
        storage["s3.access-key-id"]
    }


LINK = {"CatalogId": "210987654321", "DatabaseName": "theirs", "Name": "events"}
LINKS: Mapping[str, tuple[str, dict[str, Any], str]] = {
    "a table": ("GetTable", {"Table": {"Name": "events", "DatabaseName": "lake", "TargetTable": LINK}}, "a link to 21"),
    "a followed table": ("GetTable", {"Table": {**TABLE, "DatabaseName": "theirs"}}, "a link to theirs.events"),
    "a database": ("GetDatabase", {"Database": {"Name": "lake", "TargetDatabase": LINK}}, "a link to 21"),
    "a followed database": ("GetDatabase", {"Database": {"Name": "theirs"}}, "a link to lake.events"),
    "federated": ("GetDatabase", {"Database": {"Name": "lake", "FederatedDatabase": {"Identifier": "x"}}}, "federated"),
}


@pytest.mark.parametrize("link", LINKS)
def test_links_and_federated_databases_are_refused_by_name(glue: GlueServer, link: str) -> None:
    call, answer, words = LINKS[link]
    GlueLake(glue).create([DAY], files=1)
    glue.answers = {call: lambda _: answer}
    with pytest.raises(TableUnreadable, match=words):
        connect(glue).open_table(REF)


def test_databases_of_others_are_named_by_the_check_and_not_listed(glue: GlueServer) -> None:
    GlueLake(glue).create([DAY], files=1)
    databases = [{"Name": "lake"}, {"Name": "shared", "TargetDatabase": LINK}]
    glue.answers = {"GetDatabases": lambda _: {"DatabaseList": databases}}
    steps = connect(glue).check()
    assert "1 databases (lake)" in steps[0].detail
    assert "1 more (shared) lead to other catalogs" in steps[0].detail
    assert (steps[-1].name, steps[-1].ok) == ("may_commit", True), steps
    glue.denied.add("lake")
    last = connect(glue).check()[-1]
    assert (last.name, last.ok, "AccessDeniedException" in last.detail) == ("may_commit", False, True)


@pytest.mark.parametrize("name", ["a.b", "Ünïcode 日本", "x" * 255])
def test_names_of_any_form_are_read(glue: GlueServer, name: str) -> None:
    lake = GlueLake(glue).create([DAY], files=2)
    lake.glue.create_table(DatabaseName="lake", TableInput={**TABLE, "Name": name})
    assert ("lake", name) in connect(glue).list_tables(5).identifiers
    opened = connect(glue).open_table(TableRef("lake", ("lake",), name))
    assert opened.digest().num_rows == 0
    with pytest.raises(NotFound, match="Glue has no such table"):
        connect(glue).open_table(TableRef("lake", ("lake",), f"{name}-"))


def page_of(count: int, **more: Any) -> dict[str, Any]:
    """Return a page with a number of partitions, none of which has files."""
    storage = without(STORAGE, "Columns")
    shown = [{"Values": [f"{at:07}"], "StorageDescriptor": {**storage, "Location": f"s3://lake/{at}"}, **more}
             for at in range(count)]  # fmt: skip
    return {"Partitions": shown}


ENDLESS: Mapping[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], int]] = {
    "the same page for ever": (lambda _: {**page_of(1), "NextToken": "again"}, 2),
    "empty pages for ever": (lambda asked: {"Partitions": [], "NextToken": f"{asked.get('NextToken', '')}x"}, 101),
    "pages for ever": (lambda asked: {**page_of(900), "NextToken": f"{asked.get('NextToken', '')}x"}, 12),
}


@pytest.mark.parametrize("endless", ENDLESS)
def test_a_list_of_partitions_without_an_end_is_given_up(
    glue: GlueServer, monkeypatch: pytest.MonkeyPatch, endless: str
) -> None:
    answer, most = ENDLESS[endless]
    monkeypatch.setattr(glue_catalog, "MOST_PARTITIONS", 10_000)
    GlueLake(glue).create([DAY], files=1)
    glue.answers = {"GetPartitions": answer}
    with pytest.raises((StateConflict, TableUnreadable), match=r"no end|more than 10000 partitions"):
        connect(glue).open_table(REF)
    assert glue.calls["GetPartitions"] <= most


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page_of(1, Values=["a", "b"]), "2 values, the table 1 partition keys"),
        ({"Partitions": [{"Values": None}]}, "0 values"),
        ({}, "not Glue's"),
        ({"Partitions": {"a": 1}}, "not Glue's"),
        ({"Partitions": [[1]]}, "not Glue's"),
        ({"Partitions": [7]}, "not Glue's"),
    ],
)
def test_damaged_answers_are_named_as_such(glue: GlueServer, answer: dict[str, Any], words: str) -> None:
    GlueLake(glue).create([DAY], files=1)
    glue.answers = {"GetPartitions": lambda _: answer}
    with pytest.raises((TableUnreadable, StateConflict), match=words):
        connect(glue).open_table(REF)


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.deep)])
def test_partitions_come_in_pages_of_any_size_of_parameters(glue: GlueServer, count: int) -> None:
    """Up to 100,000 partitions; those of the first page have the largest parameter that Glue stores."""

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        assert (asked["MaxResults"], asked["ExcludeColumnSchema"]) == (1000, True)
        at = int(asked.get("NextToken", 0))
        found = page_of(1000, Parameters={"comment": "x" * 512_000} if not at else {})
        for number, each in enumerate(found["Partitions"][: 1000 if at else 20]):
            each["Values"] = [f"{at + number}"]
            each["StorageDescriptor"]["Location"] = f"s3://lake/events/day={at + number}"
        found["Partitions"] = found["Partitions"][: 1000 if at else 20]
        return found | ({"NextToken": str(at + 1000)} if at < 1000 * (count - 1) else {})

    GlueLake(glue).create([], files=0)
    glue.answers = {"GetPartitions": answer}
    opened = connect(glue).open_table(REF)
    assert opened.describe()["partition_count"] == 1000 * (count - 1) + 20
