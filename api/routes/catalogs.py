"""Catalogs: connections through which tables are reached."""

from fastapi import APIRouter, Depends, Request, Response

from api.deps import AdminDep, CatalogName, ServicesDep, ViewerDep
from api.idempotency import IdempotentRoute, idempotency_key
from api.pagination import PageQuery
from api.preconditions import Conditions, set_etag
from api.responses import WITH_BODY, problems
from api.schemas.catalogs import Catalog, CatalogCheck, CatalogCreate, CatalogList, CatalogReplace
from api.schemas.discoveries import DiscoverRequest, Discovery

creating = APIRouter(
    prefix="/v1/catalogs", tags=["catalogs"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/catalogs", tags=["catalogs"])


@creating.post("", status_code=201, summary="Create a catalog", responses=problems(*WITH_BODY, "state_conflict"))
async def create_catalog(
    body: CatalogCreate, request: Request, response: Response, services: ServicesDep, caller: AdminDep
) -> Catalog:
    """Store a connection. It is not tried: check it next. Secrets are given as references, never in clear."""
    catalog = await services.catalogs.create(
        caller,
        body.name,
        body.format,
        body.properties,
        allowed_locations=body.allowed_locations,
        outside_files=body.outside_files,
    )
    response.headers["Location"] = f"{request.url.path}/{catalog.name}"
    set_etag(response, catalog.version)
    return Catalog.from_domain(catalog)


@router.get("", summary="List catalogs by name", responses=problems("invalid_input"))
async def list_catalogs(services: ServicesDep, caller: ViewerDep, pages: PageQuery) -> CatalogList:
    """List catalogs."""
    page = await pages.collect(
        lambda after, limit: services.catalogs.list(caller, after=after, limit=limit), key=lambda c: c.name, of=str
    )
    return CatalogList.of(page)


@router.get("/{name}", summary="Show a catalog", responses=problems("not_found", "invalid_input"))
async def get_catalog(name: CatalogName, response: Response, services: ServicesDep, caller: ViewerDep) -> Catalog:
    """Show a catalog; its ETag is needed to replace or delete it."""
    catalog = await services.catalogs.get(caller, name)
    set_etag(response, catalog.version)
    return Catalog.from_domain(catalog)


@router.put(
    "/{name}",
    summary="Replace a catalog's properties and allowed locations",
    responses=problems(*WITH_BODY, "not_found", "precondition_failed", "precondition_required"),
)
async def replace_catalog(
    *,
    name: CatalogName,
    body: CatalogReplace,
    response: Response,
    services: ServicesDep,
    caller: AdminDep,
    conditions: Conditions,
) -> Catalog:
    """Replace properties and allowed locations as a whole. Needs If-Match."""
    catalog = await services.catalogs.replace(
        caller,
        name,
        body.properties,
        conditions.version(),
        allowed_locations=body.allowed_locations,
        outside_files=body.outside_files,
    )
    set_etag(response, catalog.version)
    return Catalog.from_domain(catalog)


@router.delete(
    "/{name}",
    status_code=204,
    summary="Delete a catalog",
    responses=problems("not_found", "state_conflict", "precondition_failed", "precondition_required", "invalid_input"),
)
async def delete_catalog(name: CatalogName, services: ServicesDep, caller: AdminDep, conditions: Conditions) -> None:
    """Delete a catalog without registered tables. Needs If-Match."""
    await services.catalogs.delete(caller, name, conditions.version())


@router.post("/{name}/check", summary="Try a catalog's connection", responses=problems("not_found", "invalid_input"))
async def check_catalog(name: CatalogName, services: ServicesDep, caller: AdminDep) -> CatalogCheck:
    """Try the connection step by step. A broken connection is an answer, not an error."""
    return CatalogCheck.from_domain(await services.catalogs.check(caller, name))


@router.post(
    "/{name}/discover",
    summary="List a catalog's tables, and register many at once",
    responses=problems(*WITH_BODY, "not_found", "state_conflict"),
)
async def discover_tables(
    name: CatalogName, body: DiscoverRequest, services: ServicesDep, caller: AdminDep
) -> Discovery:
    """Say of each table that matches whether it is registered or can be; register those that can if that is asked.

    Sending the same request again goes on where the last one ended.
    """
    return Discovery.from_domain(await services.discovery.discover(caller, name, body.to_domain()))
