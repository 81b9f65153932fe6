"""Spark endpoints: read by everyone, so that policies can name their labels, and written by admins."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request, Response

from api.deps import AdminDep, ServicesDep, ViewerDep
from api.http.preconditions import Conditions, VersionRead, set_etag
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.fleet.endpoints import SparkEndpoint, SparkEndpointList, SparkEndpointWrite

router = APIRouter(prefix="/v1/spark-endpoints", tags=["fleet"])

EndpointName = Annotated[
    str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$", description="Name of the endpoint.", examples=["eu-1"])
]
_CREATED: Final[dict[str, Any]] = {
    "model": SparkEndpoint,
    "description": "The endpoint was added; `Location` is its path.",
}
_CHANGED = ("not_found", "precondition_failed", "precondition_required", "state_conflict")


@router.get("", summary="List Spark endpoints by name", responses=problems("invalid_input"))
async def list_spark_endpoints(services: ServicesDep, caller: ViewerDep, pages: PageQuery) -> SparkEndpointList:
    """List the Spark Connect servers that rewrites run on, with their labels and what their last probe found."""
    page = await pages.collect(
        lambda after, limit: services.endpoints.list(caller, after=after, limit=limit),
        key=lambda endpoint: endpoint.name,
        of=str,
    )
    return SparkEndpointList.of(page)


@router.get("/{name}", summary="Show a Spark endpoint", responses=problems("not_found", "invalid_input"))
async def get_spark_endpoint(
    name: EndpointName, response: Response, services: ServicesDep, caller: ViewerDep
) -> SparkEndpoint:
    """Show an endpoint; its ETag is needed to replace or delete it."""
    found = await services.endpoints.get(caller, name)
    set_etag(response, found.version)
    return SparkEndpoint.from_domain(found)


@router.put("/{name}", summary="Write a Spark endpoint", responses={**problems(*WITH_BODY, *_CHANGED), 201: _CREATED})
async def replace_spark_endpoint(
    *,
    name: EndpointName,
    body: SparkEndpointWrite,
    request: Request,
    response: Response,
    services: ServicesDep,
    caller: AdminDep,
    conditions: Conditions,
) -> SparkEndpoint:
    """Write an endpoint as a whole: If-None-Match: * to add it, If-Match with its ETag to replace it.

    A worker probes it at once. Its address can be changed while no live run has worked there.
    """
    if conditions.if_none_match:
        written = await services.endpoints.create(caller, name, body.to_domain())
        response.status_code = 201
        response.headers["Location"] = request.url.path
    else:
        written = await services.endpoints.replace(caller, name, body.to_domain(), conditions.version())
    set_etag(response, written.version)
    return SparkEndpoint.from_domain(written)


@router.delete(
    "/{name}", status_code=204, summary="Delete a Spark endpoint", responses=problems("invalid_input", *_CHANGED)
)
async def delete_spark_endpoint(
    name: EndpointName, services: ServicesDep, caller: AdminDep, conditions: VersionRead
) -> None:
    """Delete an endpoint on which no live run has worked; `default` always exists. Needs If-Match."""
    await services.endpoints.delete(caller, name, conditions.version())
