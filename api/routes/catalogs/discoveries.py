"""The tables of a catalog: list them, and register many at once."""

from fastapi import APIRouter

from api.deps import CatalogName, OwnerDep, ServicesDep
from api.http.acknowledgements import DELETING, Acknowledge
from api.problems.responses import WITH_BODY, problems
from api.schemas.catalogs.discoveries import DiscoverRequest, Discovery, RegistrationPreview, RegistrationRequest

router = APIRouter(prefix="/v1/catalogs/{name}", tags=["catalogs"])


@router.post(
    "/discover", summary="List a catalog's tables", responses=problems(*WITH_BODY, "not_found", "state_conflict")
)
async def discover_tables(
    name: CatalogName, body: DiscoverRequest, services: ServicesDep, caller: OwnerDep
) -> Discovery:
    """List the tables that match, with whether each is registered or can be. No table is opened.

    Below admin: tables of namespaces granted with `discover`.
    """
    return Discovery.from_domain(await services.discovery.discover(caller, name, body.pattern))


@router.post(
    "/register",
    summary="Register many of a catalog's tables",
    responses=problems(*WITH_BODY, "not_found", "state_conflict", *DELETING),
)
async def register_tables(
    *,
    name: CatalogName,
    body: RegistrationRequest,
    services: ServicesDep,
    caller: OwnerDep,
    acknowledge: Acknowledge = None,
) -> Discovery:
    """Register the tables that match and can be. Sending the same request again continues where the last one ended.

    Below admin: tables of namespaces granted with `discover` and `register`. If policies delete files or history of
    the tables, none is registered until what they would delete is acknowledged.
    """
    return Discovery.from_domain(await services.discovery.register(caller, name, body.to_domain(), acknowledge))


@router.post(
    "/register/preview",
    summary="Preview the registration of many tables",
    responses=problems(*WITH_BODY, "not_found", "state_conflict"),
)
async def preview_registration(
    name: CatalogName, body: RegistrationRequest, services: ServicesDep, caller: OwnerDep
) -> RegistrationPreview:
    """Open the tables that match and show which would be registered, and what policies would delete of them."""
    found, deletions = await services.discovery.preview(caller, name, body.to_domain())
    return RegistrationPreview.of(found, deletions)
