"""Settings of installations that tests start."""

from pathlib import Path
from typing import Any

from engine.settings.model import Settings


def settings_of(data_dir: Path, *, database_url: str, redis_url: str, **more: Any) -> Settings:
    """Return settings on the given servers, `more` by name; there is no Spark but where `spark_url` says."""
    given = {
        "spark_url": "sc://127.0.0.1:1",
        "secret_key": "a key for tests",
        "mode": "embedded",
        "first_run_grace_seconds": 0,
    } | more
    return Settings(data_dir=data_dir, database_url=database_url, redis_url=redis_url, **given)
