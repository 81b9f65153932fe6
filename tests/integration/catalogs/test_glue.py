"""Whole runs on Iceberg tables whose catalog is AWS Glue: races, lost answers, refusals, and whose credentials sign."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.domain.errors import InvalidInput
from engine.domain.runs.run import RunState
from engine.domain.tables.table import TableRef
from engine.formats.iceberg.connection import IcebergFormat
from engine.rewriting.kernel.storage.credentials import RenewedStorage
from tests.support.glue_server import GlueServer
from tests.support.hive.certificates import Authority
from tests.support.hostile.behaviours import answer, once
from tests.support.hostile.servers import HostileServer
from tests.support.world import NAME, World, open_world


@pytest.fixture
async def world(
    glue: GlueServer, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A lake in Glue and S3, with keys of its own for writers."""
    lake = {"settings": glue.writers(), "registered": glue.settings()}
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as opened:
        yield opened


async def test_a_table_is_rewritten_and_its_entry_stays_what_it_was_otherwise(world: World, glue: GlueServer) -> None:
    rows, before = world.lake.rows(), glue.entry(*NAME)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    after = glue.entry(*NAME)
    assert before is not None
    assert after is not None
    assert after["Parameters"]["previous_metadata_location"] == before["Parameters"]["metadata_location"]
    moving = {"metadata_location", "previous_metadata_location"}
    assert {k: v for k, v in after["Parameters"].items() if k not in moving} == {
        k: v for k, v in before["Parameters"].items() if k not in moving
    }
    assert after["StorageDescriptor"] == before["StorageDescriptor"]
    assert glue.calls["UpdateTable"] == 1


async def test_an_answer_lost_after_the_commit_is_found_in_the_table(world: World, glue: GlueServer) -> None:
    """botocore sends the request again, which Glue refuses as stale: the table has the snapshot."""
    rows = world.lake.rows()
    glue.lost_after.append("UpdateTable")
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert (glue.calls["UpdateTable"], len(world.lake.replaces())) == (2, 1)
    assert world.lake.rows() == rows


async def test_an_append_between_reading_and_replacing_the_entry_costs_a_try(world: World, glue: GlueServer) -> None:
    before, left = len(world.lake.ids()), [1, 1]

    def append() -> None:
        if left:
            left.pop()
            world.lake.append(day="2026-11-01")

    glue.before_update = append
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert glue.calls["UpdateTable"] == 3
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == before + 100
    assert stored_metadata(glue) == named_metadata(world)


@pytest.mark.parametrize("call", ["GetTable", pytest.param("UpdateTable", marks=pytest.mark.deep)])
async def test_a_throttled_glue_is_waited_for(world: World, glue: GlueServer, call: str) -> None:
    run = await world.submit()
    glue.refusals[call] = ["ThrottlingException"] * 200
    await world.container.worker.advance(run.id)
    waiting = await world.get(run.id)
    assert waiting.state is RunState.QUEUED
    assert f"(ThrottlingException) when calling the {call} operation" in str(waiting.detail)
    glue.refusals[call] = ["ThrottlingException"]  # one is repeated within the call
    run = await world.finish(run.id)
    assert (run.state, len(world.lake.replaces())) == (RunState.SUCCEEDED, 1), run.detail


@pytest.mark.parametrize("code", ["ResourceNumberLimitExceededException", "AccessDeniedException"])
async def test_a_commit_that_glue_refuses_fails_the_run_and_says_why(world: World, glue: GlueServer, code: str) -> None:
    rows, files, stored = world.lake.rows(), world.lake.paths(), glue.stored()
    glue.refusals["UpdateTable"] = [code] * 200
    run = await world.rewrite()
    assert (run.state, run.attempt, glue.calls["UpdateTable"]) == (RunState.FAILED, 1, 1)
    assert code in str(run.detail), run.detail
    assert (world.lake.rows(), world.lake.paths(), glue.stored()) == (rows, files, stored)


async def test_a_refusal_of_a_repeated_request_is_no_certain_answer(world: World, glue: GlueServer) -> None:
    """The first request may have taken effect: the batch is sent again, and nothing of it is deleted."""
    glue.refusals["UpdateTable"] = ["ThrottlingException", "AccessDeniedException"]
    run = await world.rewrite()
    assert (run.state, run.attempt, len(world.lake.replaces())) == (RunState.SUCCEEDED, 1, 1), run.detail
    assert len(stored_metadata(glue) - named_metadata(world)) == 1


async def test_another_region_has_no_databases_and_the_check_says_what_decides(world: World) -> None:
    connection = IcebergFormat().connect("lake", {**world.lake.properties, "client.region": "eu-north-1"})
    found = {each.name: each.detail for each in await asyncio.to_thread(connection.check)}
    assert found["list_namespaces"].startswith("0 databases; if there should be some, check client.region, glue.id")


async def test_the_check_of_a_catalog_says_who_may_not_write(world: World, glue: GlueServer) -> None:
    keys = {"client.access-key-id": "lake", "client.secret-access-key": "x"}
    connection = IcebergFormat().connect("lake", {**world.lake.properties, **keys})
    steps = await asyncio.to_thread(connection.check)
    assert [(each.name, each.ok) for each in steps][-2:] == [("write_file", True), ("may_commit", True)], steps
    assert not [key for key in glue.stored() if "check" in key]
    glue.denied.add("lake")
    last = (await asyncio.to_thread(connection.check))[-1]
    assert (last.name, last.ok) == ("may_commit", False)
    assert "AccessDeniedException" in last.detail
    glue.only_reads.add("lake")
    last = (await asyncio.to_thread(connection.check))[-1]
    assert (last.name, last.ok) == ("write_file", False)
    assert "The operation lacked the necessary privileges" in last.detail


async def test_a_call_that_is_throttled_once_is_repeated(world: World, glue: GlueServer) -> None:
    keys = {"client.access-key-id": "lake", "client.secret-access-key": "x"}
    for call in ("GetDatabases", "GetTables", "GetTable", "UpdateTable"):
        glue.refusals[call] = ["ThrottlingException"]
    steps = await asyncio.to_thread(IcebergFormat().connect("lake", {**world.lake.properties, **keys}).check)
    assert ([each for each in steps if not each.ok], any(glue.refusals.values())) == ([], False)


def stored_metadata(glue: GlueServer) -> set[str]:
    return {f"s3://lake/{key}" for key in glue.stored() if key.endswith(".metadata.json")}


def named_metadata(world: World) -> set[str]:
    """Return the metadata files that the table's entry and its log name."""
    table = world.lake.table
    return {table.metadata_location, *(each.metadata_file for each in table.metadata.metadata_log)}


PROFILE = """[profile lake]
aws_access_key_id = of-the-profile
aws_secret_access_key = x
region = us-east-1

[profile away]
role_arn = arn:aws:iam::123456789012:role/lake
credential_source = Ec2InstanceMetadata
"""
NO_KEYS = {"client.access-key-id": "", "client.secret-access-key": ""}


@pytest.fixture
def of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without credentials of AWS, but with a file of profiles."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    config = tmp_path / "config"
    config.write_text(PROFILE)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return config


def of(glue: GlueServer, **properties: str) -> dict[str, str]:
    """Return properties of a catalog that name no keys, with some more."""
    return {k: v for k, v in {**glue.settings(), **NO_KEYS, **properties}.items() if v}


@pytest.mark.usefixtures("of_this_machine")
@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({}, "no credentials of AWS were found"),
        ({"client.profile-name": "lak"}, "give client.profile-name a profile of this machine"),
        ({"client.profile-name": "lake", "client.region": ""}, None),
        ({"client.region": "", "client.access-key-id": "a", "client.secret-access-key": "b"}, "no region of AWS"),
        ({"client.profile-name": "away"}, "the credentials of AWS can't be used"),
        ({"client.role-arn": "arn:aws:iam::123456789012:role/lake"}, "that may assume the role"),
        ({"client.profile-name": "lake", "client.role-arn": "arn:aws:iam::123456789012:role/lake"}, None),
    ],
)
def test_each_wrong_setting_names_itself(
    glue: GlueServer, monkeypatch: pytest.MonkeyPatch, properties: dict[str, str], words: str | None
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", glue.url)
    steps = IcebergFormat().connect("lake", of(glue, **properties)).check()
    assert steps[-1].ok is (words is None), steps
    assert words is None or words in steps[-1].detail, steps


@pytest.mark.usefixtures("of_this_machine")
def test_files_are_read_with_the_credentials_of_the_role(
    world: World, glue: GlueServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients of stores in Spark's tasks don't know the profile: they get its keys, and renew them as vended ones."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", glue.url)
    role = {"client.profile-name": "lake", "client.role-arn": "arn:aws:iam::123456789012:role/lake"}
    connection = IcebergFormat().connect("lake", of(glue, **role))
    glue.asked.clear()
    table = connection.open_table(TableRef("lake", NAME[:1], NAME[1]))
    signers = {each.access_key for each in glue.asked if each.key.endswith(".metadata.json")}
    assert len(signers) == 1
    assert not signers & {"lake", "watcher", "of-the-profile"}
    storage = next(iter(table.engines.values())).task_storage()
    assert {storage["s3.access-key-id"]} == signers
    assert storage["s3.session-token"]
    assert 600 < int(storage["s3.session-token-expires-at-ms"]) / 1000 - time.time() <= 3600
    assert isinstance(storage, RenewedStorage)
    assert storage.credentials.newest() == storage
    assert not any(name.startswith("client.") for name in storage)


def test_nothing_is_sent_to_a_refused_address(glue: GlueServer) -> None:
    keys = {"client.access-key-id": "lake", "client.secret-access-key": "x"}

    def refuse(address: str) -> None:
        raise InvalidInput(f"{address} is forbidden")

    connection = IcebergFormat(check_peer=refuse).connect("lake", {**glue.settings(), **keys})
    step = connection.check()[-1]
    assert (step.ok, glue.calls.total()) == (False, 0)
    assert "127.0.0.1 is forbidden" in step.detail


def test_a_certificate_for_another_name_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority("ours")
    (tmp_path / "trusted.pem").write_text(authority.pem)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "trusted.pem"))
    keys = {"client.region": "us-east-1", "client.access-key-id": "lake", "client.secret-access-key": "x"}
    tls = authority.context(tmp_path, timedelta(days=1))
    with HostileServer(once(answer(b"{}")), tls=tls).running() as server:
        url = f"https://127.0.0.1:{server.port}"
        for properties in ({"type": "glue", "glue.endpoint": url, **keys}, {"type": "rest", "uri": url}):
            step = IcebergFormat().connect("lake", properties).check()[-1]
            assert not step.ok
            assert "certificate is not valid for '127.0.0.1'" in step.detail
