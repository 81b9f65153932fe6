"""Catalogs: connections through which tables are reached."""

from fastapi import APIRouter, Depends, Request, Response

from api.deps import AdminDep, CatalogName, ServicesDep, ViewerDep
from api.http.idempotency import IdempotentRoute, KeyedRequestDep, answer_of, idempotency_key, response_of
from api.http.preconditions import VersionRead, set_etag
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.access.grants import CatalogGrants, GrantsReplace
from api.schemas.catalogs.catalog import Catalog, CatalogCheck, CatalogCreate, CatalogList, CatalogReplace
from engine.domain.access.keyed_requests import StoredAnswer
from engine.domain.tables import table as domain
from engine.services.access.idempotency import AnswerRecord

creating = APIRouter(
    prefix="/v1/catalogs", tags=["catalogs"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/catalogs", tags=["catalogs"])


@creating.post(
    "",
    status_code=201,
    summary="Create a catalog",
    response_model=Catalog,
    responses=problems(*WITH_BODY, "state_conflict"),
)
async def create_catalog(
    body: CatalogCreate, request: Request, services: ServicesDep, caller: AdminDep, keyed: KeyedRequestDep
) -> Response:
    """Store a connection. It is not tried: check it next. Secrets are given as references, never in clear."""

    def created(catalog: domain.Catalog) -> StoredAnswer:
        shown, location = Catalog.from_domain(catalog, caller), f"{request.url.path}/{catalog.name}"
        return answer_of(shown, 201, location=location, version=catalog.version)

    record = AnswerRecord(created, keyed)
    grants = [grant.to_domain() for grant in body.grants]
    await services.catalogs.create(
        caller,
        body.name,
        body.format,
        body.properties,
        allowed_locations=body.allowed_locations,
        grants=grants,
        outside_files=body.outside_files,
        record=record,
    )
    return response_of(record.answer)


@router.get("", summary="List catalogs by name", responses=problems("invalid_input"))
async def list_catalogs(services: ServicesDep, caller: ViewerDep, pages: PageQuery) -> CatalogList:
    """List the catalogs that the caller holds a grant on or sees tables of. Properties are shown to admins only."""
    page = await pages.collect(
        lambda after, limit: services.catalogs.list(caller, after=after, limit=limit), key=lambda c: c.name, of=str
    )
    return CatalogList.of(page, caller)


@router.get("/{name}", summary="Show a catalog", responses=problems("not_found", "invalid_input"))
async def get_catalog(name: CatalogName, response: Response, services: ServicesDep, caller: ViewerDep) -> Catalog:
    """Show a catalog; its ETag is needed to replace or delete it. Properties are shown to admins only."""
    catalog = await services.catalogs.get(caller, name)
    set_etag(response, catalog.version)
    return Catalog.from_domain(catalog, caller)


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
    conditions: VersionRead,
) -> Catalog:
    """Replace properties and allowed locations as a whole; grants stay. Needs If-Match."""
    catalog = await services.catalogs.replace(
        caller,
        name,
        body.properties,
        conditions.version(),
        allowed_locations=body.allowed_locations,
        outside_files=body.outside_files,
    )
    set_etag(response, catalog.version)
    return Catalog.from_domain(catalog, caller)


@router.delete(
    "/{name}",
    status_code=204,
    summary="Delete a catalog",
    responses=problems("not_found", "state_conflict", "precondition_failed", "precondition_required", "invalid_input"),
)
async def delete_catalog(name: CatalogName, services: ServicesDep, caller: AdminDep, conditions: VersionRead) -> None:
    """Delete a catalog without registered tables. Needs If-Match."""
    await services.catalogs.delete(caller, name, conditions.version())


@router.get("/{name}/grants", summary="Show a catalog's grants", responses=problems("not_found", "invalid_input"))
async def get_catalog_grants(
    name: CatalogName, response: Response, services: ServicesDep, caller: ViewerDep
) -> CatalogGrants:
    """Show what teams may do with the catalog's tables: all grants to admins, to others those that they hold."""
    catalog = await services.catalogs.get(caller, name)
    set_etag(response, catalog.version)
    return CatalogGrants.from_domain(catalog, caller)


@router.put(
    "/{name}/grants",
    summary="Write a catalog's grants",
    responses=problems(*WITH_BODY, "not_found", "precondition_failed", "precondition_required"),
)
async def replace_catalog_grants(
    *,
    name: CatalogName,
    body: GrantsReplace,
    response: Response,
    services: ServicesDep,
    caller: AdminDep,
    conditions: VersionRead,
) -> CatalogGrants:
    """Replace all grants. The ETag is the catalog's: needs If-Match with it."""
    grants = [grant.to_domain() for grant in body.grants]
    catalog = await services.catalogs.set_grants(caller, name, grants, conditions.version())
    set_etag(response, catalog.version)
    return CatalogGrants.from_domain(catalog, caller)


@router.post("/{name}/check", summary="Try a catalog's connection", responses=problems("not_found", "invalid_input"))
async def check_catalog(name: CatalogName, services: ServicesDep, caller: AdminDep) -> CatalogCheck:
    """Try the connection step by step. A broken connection is an answer, not an error."""
    return CatalogCheck.from_domain(await services.catalogs.check(caller, name))
