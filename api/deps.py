"""Dependencies of handlers: the services of this process, the caller, and readers of headers."""

from typing import Annotated

from fastapi import Depends, Path, Request, Security
from fastapi.security import HTTPBearer

from engine.domain.access.callers import Caller, Role, require_role
from engine.domain.ids import KeyId, RunId, TableId
from engine.domain.tables.addresses import MOST_CHARACTERS, TABLE_PATTERN
from engine.factory.services import Services

_bearer = HTTPBearer(scheme_name="apiKey", bearerFormat="pkh_…", description="An API key.", auto_error=False)


async def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def _caller(request: Request, _documented: Annotated[object, Security(_bearer)]) -> Caller:
    """Return the caller that `api.http.auth` authenticated."""
    caller: Caller = request.state.caller
    return caller


async def _optional_caller(request: Request, _documented: Annotated[object, Security(_bearer)]) -> Caller | None:
    """Return the caller of a path where credentials are optional, None without one."""
    caller: Caller | None = getattr(request.state, "caller", None)
    return caller


class RequiredRole:
    """Dependency that returns a caller with at least `role`, shown by `api.openapi`; otherwise raises `Forbidden`."""

    def __init__(self, role: Role) -> None:
        self.role = role

    async def __call__(self, caller: Annotated[Caller, Depends(_caller)]) -> Caller:
        """Return the caller."""
        require_role(caller, self.role)
        return caller


ServicesDep = Annotated[Services, Depends(_services)]
ViewerDep = Annotated[Caller, Depends(RequiredRole(Role.VIEWER))]
PlannerDep = Annotated[Caller, Depends(RequiredRole(Role.PLANNER))]
OperatorDep = Annotated[Caller, Depends(RequiredRole(Role.OPERATOR))]
OwnerDep = Annotated[Caller, Depends(RequiredRole(Role.OWNER))]
AdminDep = Annotated[Caller, Depends(RequiredRole(Role.ADMIN))]
OptionalCaller = Annotated[Caller | None, Depends(_optional_caller)]
CatalogName = Annotated[
    str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$", description="Name of the catalog.", examples=["lake"])
]
KeyIdPath = Annotated[
    KeyId,
    Path(
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="Id of the key.",
        examples=["key_01jd2m6v8n4q0x7y3k5r9t1wbz"],
    ),
]


async def _table_of_path(
    table_id: Annotated[
        str,
        Path(
            max_length=MOST_CHARACTERS,
            pattern=TABLE_PATTERN,
            description="Id or address of the table. A part of the address that has a dot is written in double quotes; "
            "an address with a slash is given as an id.",
            examples=["tbl_01jd2m6v8n4q0x7y3k5r9t1wbz", "lake.sales.orders"],
        ),
    ],
    services: ServicesDep,
    caller: Annotated[Caller, Depends(_caller)],
) -> TableId:
    """Return the id of the table that a path names.

    Raises:
        NotFound: the caller sees no table at the address; same text as for an unknown id.
    """
    return await services.tables.resolve(caller, table_id)


TableIdPath = Annotated[TableId, Depends(_table_of_path)]
RunIdPath = Annotated[
    RunId,
    Path(
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="Id of the run.",
        examples=["run_01jd2m6v8n4q0x7y3k5r9t1wbz"],
    ),
]
