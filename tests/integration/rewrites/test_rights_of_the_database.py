"""Two users of Postgres, as docs/how-to/kubernetes.md makes them: one owns the schema, one does the work."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from redis.asyncio import Redis
from sqlalchemy import create_engine, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.pool import NullPool

from engine.domain.runs.run import RunState
from engine.stores.migrations.upgrade import upgrade
from tests.support.postgres_server import PostgresServer
from tests.support.world import open_world

ROOT: Final = Path(__file__).parents[3]
OWNER, WORKER, DATABASE = "packhouse_owner", "packhouse_app", "two_users"


@pytest.fixture
def url(postgres_server: PostgresServer) -> Iterator[str]:
    """URL of an empty database without its user."""
    for statement in (f"ROLE {OWNER} LOGIN", f"ROLE {WORKER} LOGIN", f"DATABASE {DATABASE} OWNER {OWNER}"):
        postgres_server.execute(f"CREATE {statement}")
    yield postgres_server.url(DATABASE).replace("//packhouse@", "//{user}@")
    for statement in (f"DATABASE {DATABASE} WITH (FORCE)", f"ROLE {OWNER}", f"ROLE {WORKER}"):
        postgres_server.execute(f"DROP {statement}")


async def test_a_run_needs_no_more_than_the_documented_rights(
    url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    [statements] = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/how-to/kubernetes.md").read_text(), re.DOTALL)
    owner, worker = url.format(user=OWNER), url.format(user=WORKER)
    with create_engine(owner, poolclass=NullPool).begin() as connection:
        connection.execute(text(statements))
    upgrade(owner)
    with (
        create_engine(worker, poolclass=NullPool).begin() as connection,
        pytest.raises(ProgrammingError, match="permission denied"),
    ):
        connection.execute(text("CREATE TABLE mine (id int)"))
    async with open_world(tmp_path / "world", database_url=worker, redis_url=redis_url) as world:
        world.lake.fill(days=2, files=6)
        assert (await world.rewrite()).state is RunState.SUCCEEDED
