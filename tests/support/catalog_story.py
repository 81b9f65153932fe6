"""The story of a table over HTTP, the same in every kind of catalog: from the catalog's properties to upkeep.

The table of a `World` is found, registered, rewritten by a worker that dies at the commit, and kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.domain.runs.run import Operation
from tests.integration.api.conftest import Api, api_on
from tests.support.attempts import resumed_from
from tests.support.moved_clock import MovedClock
from tests.support.world import NAME, AnyLake, World

Policy = Mapping[str, Any]
_CATALOG: Final = "/v1/catalogs/lake"
_GIVEN: Final = ("name", "format", "properties", "allowed_locations", "outside_files")


async def played(
    world: World[Any], policy: Policy, upkeep: Sequence[Operation], *, dies_at: str | None = "after_commit"
) -> list[Any]:
    """Play it in the catalog `lake` of a world and return the runs as the API shows them, that of the rewrite first."""
    clock = await MovedClock.of(world.container.database)
    async with api_on(world.container) as api:
        table_id = await _registered(world, api)
        await api.put_policy(table_id, policy)
        runs = [await _rewritten(world, api, table_id, dies_at)]
        await clock.pass_by(hours=3)
        for operation in upkeep:
            run = await _submitted(api, table_id, operation)
            await clock.pass_by(hours=3)  # what is deleted is announced
            await world.container.worker.advance(run["id"])
            runs.append(await api.get(f"/v1/runs/{run['id']}"))
    return runs


async def _registered(world: World[AnyLake], api: Api) -> str:
    """Take the table out of the record, with its catalog, and let HTTP find it again."""
    given = await api.get(_CATALOG)
    await api.call("DELETE", f"/v1/tables/{world.table_id}", status=204)
    await api.call("DELETE", _CATALOG, status=204, headers={"If-Match": f'"{given["version"]}"'})
    await api.post("/v1/catalogs", {name: given[name] for name in _GIVEN}, status=201)
    steps = (await api.post(f"{_CATALOG}/check", status=200))["steps"]
    assert [each for each in steps if not each["ok"]] == []
    asked = {"pattern": ".".join((*NAME[:-1], "*"))}
    found = (await api.post(f"{_CATALOG}/discover", asked, status=200))["tables"]
    assert [(*each["namespace"], each["name"]) for each in found] == [NAME]
    (table,) = (await api.post(f"{_CATALOG}/register", asked, status=200))["tables"]
    return str(table["table_id"])


async def _rewritten(world: World[AnyLake], api: Api, table_id: str, dies_at: str | None) -> Any:
    run = await _submitted(api, table_id, Operation.REWRITE)
    if dies_at is not None:
        await resumed_from(world, await world.get(run["id"]), dies_at)
    else:
        await world.container.worker.advance(run["id"])
    return await api.get(f"/v1/runs/{run['id']}")


async def _submitted(api: Api, table_id: str, operation: Operation) -> Any:
    return await api.post("/v1/runs", {"table_id": table_id, "operation": operation.value}, status=202)
