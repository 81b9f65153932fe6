"""A table of any format that the API has discovered and registered."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

from engine.domain.ids import TableId
from engine.domain.runs.run import Run
from tests.integration.api.conftest import Api
from tests.support.watching import Watching

OneTable = TypeVar("OneTable")


@dataclass
class Registered(Generic[OneTable]):
    """The API with one registered table."""

    api: Api
    lake: OneTable
    table_id: str

    async def view(self, name: str) -> Any:
        """Return a view of the table by the end of its path."""
        return await self.api.get(f"/v1/tables/{self.table_id}/{name}")

    async def govern(self, policy: dict[str, Any], *, status: int = 201) -> Any:
        """Store the table's first policy."""
        return await self.api.put_policy(self.table_id, policy, status=status)

    async def submit(self, *, status: int = 202, **asked: Any) -> Any:
        """Submit a run."""
        return await self.api.post(
            "/v1/runs", {"table_id": self.table_id, "operation": "rewrite", **asked}, status=status
        )

    async def preview(self, *, status: int = 200, **asked: Any) -> Any:
        """Preview a run."""
        return await self.api.post(
            "/v1/runs/preview", {"table_id": self.table_id, "operation": "rewrite", **asked}, status=status
        )

    async def look(self) -> list[Run]:
        """Look at the table as the coordinator does; return its runs."""
        table_id = TableId(self.table_id)
        world: Any = SimpleNamespace(container=self.api.container, table_id=table_id, on_step=lambda _step: None)
        watching = Watching(world)
        await watching.look(wake=True)
        await watching.service.close()
        async with self.api.container.database.read() as unit:
            return list(await unit.runs.list(table_id))


async def registered(api: Api, lake: OneTable, format_name: str, properties: Mapping[str, str]) -> Registered[OneTable]:
    """Create the catalog `lake`, and register its only table by discovery."""
    body = {"name": "lake", "format": format_name, "properties": dict(properties)}
    await api.post("/v1/catalogs", body, status=201)
    found = await api.post("/v1/catalogs/lake/register", {"owner_team": None}, status=200)
    (table,) = found["tables"]
    return Registered(api, lake, table["table_id"])
