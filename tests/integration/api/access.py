"""Callers of every role for tests of the api."""

from itertools import count
from typing import Any, Final

import httpx

from tests.integration.api.conftest import Api

ROLES: Final = ("viewer", "planner", "operator", "owner", "admin")
_numbers = count(1)


async def make_key(api: Api, role: str, **asked: Any) -> Any:
    """Make a key of a role under a name of its own."""
    return await api.post("/v1/keys", {"name": f"{role}-{next(_numbers)}", "role": role, **asked}, status=201)


async def as_caller(
    api: Api, role: str, *, name: str | None = None, teams: list[str] | None = None
) -> httpx.AsyncClient:
    """Return a client of a new caller."""
    asked = {"teams": teams} | ({"name": name} if name else {})
    return api.with_key((await make_key(api, role, **asked))["secret"])


async def grant(api: Api, catalog: str, *grants: dict[str, Any]) -> None:
    """Set the grants of a catalog."""
    found = await api.call("GET", f"/v1/catalogs/{catalog}/grants", status=200)
    headers = {"If-Match": found.headers["etag"]}
    await api.call("PUT", f"/v1/catalogs/{catalog}/grants", status=200, json={"grants": grants}, headers=headers)
