"""The first admin key: in a file of its owner, or given by a setting."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from redis.asyncio import Redis

from api.server.first_key import ensure_first_key
from engine.domain.errors import InvalidInput
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.settings.model import Settings
from tests.support.local_dispatch import LocalDispatcher

GIVEN = "pkh_" + "aB3-_" * 10


@pytest.fixture
async def container(settings: Settings, redis: Redis) -> AsyncIterator[Container]:
    async with open_container(settings, dispatcher=LocalDispatcher()) as opened:
        yield opened


def files_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if "admin-key" in file.name}


async def test_the_key_is_in_a_file_and_a_folder_that_only_its_owner_reads(container: Container) -> None:
    path = await ensure_first_key(container.access, container.settings)
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o600
    assert (await container.access.authenticate(path.read_text().strip())).subject == "key:admin"
    assert files_in(container.settings.data_dir) == {"admin-key"}
    assert container.settings.data_dir.stat().st_mode & 0o077 == 0


async def test_nothing_is_written_where_a_key_exists(container: Container) -> None:
    await container.access.ensure_admin_key()
    assert await ensure_first_key(container.access, container.settings) is None
    assert files_in(container.settings.data_dir) == set()


async def test_of_processes_that_start_at_once_the_file_has_the_key_that_was_created(container: Container) -> None:
    paths = await asyncio.gather(*(ensure_first_key(container.access, container.settings) for _ in range(5)))
    (path,) = filter(None, paths)
    await container.access.authenticate(path.read_text().strip())
    assert files_in(container.settings.data_dir) == {"admin-key"}


async def test_a_given_key_is_used_once_and_not_written(container: Container) -> None:
    for _ in range(2):
        given = container.settings.model_copy(update={"admin_key": SecretStr(GIVEN)})
        assert await ensure_first_key(container.access, given) is None
    assert (await container.access.authenticate(GIVEN)).subject == "key:admin"
    assert files_in(container.settings.data_dir) == set()


async def test_a_given_key_that_could_be_guessed_is_refused(container: Container) -> None:
    for given in ("", "pkh_short", "secret" * 20, GIVEN + "\n", GIVEN + "é"):
        settings = container.settings.model_copy(update={"admin_key": SecretStr(given)})
        with pytest.raises(InvalidInput, match="PACKHOUSE_ADMIN_KEY"):
            await ensure_first_key(container.access, settings)
