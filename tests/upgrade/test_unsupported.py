"""A version that can't use the schema of its database says which versions can, and changes nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.settings import settings_of
from tests.upgrade.deployment import LAST, THIS, Deployment

pytestmark = pytest.mark.deep


def test_the_last_release_names_both_schemas_when_the_newer_one_does_not_support_it(tmp_path: Path) -> None:
    file = tmp_path / "packhouse.sqlite3"
    url = f"sqlite+aiosqlite:///{file}"
    deployment = Deployment(tmp_path, settings_of(tmp_path, database_url=url, redis_url="redis://127.0.0.1:1"))
    assert deployment.run(THIS, "migrate").returncode == 0
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE schema_support SET oldest_supported = '0028'")
    message = (
        f"the database is at schema {THIS.schema}, which versions that know schema 0028 or newer can use, and this "
        f"version knows schema {LAST.schema}: start the version that migrated the database, or one after it"
    )
    for command in ("worker", "migrate"):
        refused = deployment.run(LAST, command)
        assert refused.returncode == 1
        assert f"packhouse-server {command}: {message}" in refused.stderr
