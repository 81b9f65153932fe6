"""Real servers for the tests of whole deployments."""

from pathlib import Path

import pytest
from redis.asyncio import Redis

from engine.settings.model import Settings
from tests.support.settings import settings_of


@pytest.fixture
def settings(tmp_path: Path, postgres_url: str, redis: Redis, redis_url: str, spark_url: str) -> Settings:
    """One record, queue and Spark for all processes; no run starts by itself."""
    return settings_of(
        tmp_path / "state", database_url=postgres_url, redis_url=redis_url, spark_url=spark_url, watch=False
    )
