"""A table's own policy, its versions, and the effective policy."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import StringConstraints

from api.deps import OwnerDep, ServicesDep, TableIdPath, ViewerDep
from api.http.acknowledgements import DELETING, Acknowledge
from api.http.preconditions import Conditions, VersionRead, set_etag
from api.listing.pagination import PageQuery
from api.listing.query_values import TextWhole
from api.problems.responses import WITH_BODY, problems
from api.schemas.policies.policy import EffectivePolicy, PolicyRestore, PolicyVersion, PolicyVersionList, TablePolicy
from engine.domain.policies import PolicyDocument
from engine.domain.policy_versions import MAX_MESSAGE
from engine.domain.values.strict import OneLine

router = APIRouter(prefix="/v1/tables/{table_id}", tags=["policies"])

PolicyMessage = Annotated[
    Annotated[OneLine, StringConstraints(min_length=1, max_length=MAX_MESSAGE)] | None,
    Query(
        description="Reason for the change, one line: kept with the version and in the audit log. A write that "
        "changes nothing keeps none.",
        examples=["smaller files for the dashboards"],
    ),
]
VersionPath = Annotated[TextWhole, Path(ge=1, le=10**9, description="Number of the version.", examples=[2])]
_CREATED: Final[dict[str, Any]] = {
    "model": TablePolicy,
    "description": "The first policy of the table was written; `Location` is its path.",
}
CONDITIONS = ("precondition_failed", "precondition_required", "not_found", "invalid_input", *DELETING)
TABLE = ("state_conflict", "table_replaced")


@router.get(
    "/policy",
    summary="Show a table's own policy",
    responses=problems("not_found", "invalid_input"),
)
async def get_table_policy(
    table_id: TableIdPath, response: Response, services: ServicesDep, caller: ViewerDep
) -> TablePolicy:
    """Show the fields that the table's own policy sets; its ETag is needed to replace or delete it."""
    shown = await services.policies.get(caller, table_id)
    set_etag(response, shown.policy.version)
    return TablePolicy.from_domain(shown)


@router.put(
    "/policy",
    summary="Write a table's own policy",
    responses={**problems(*WITH_BODY, *CONDITIONS, *TABLE), 201: _CREATED},
)
async def replace_table_policy(
    *,
    table_id: TableIdPath,
    body: PolicyDocument,
    request: Request,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: Conditions,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> TablePolicy:
    """Write the policy as a whole: If-None-Match: * for the first, If-Match with its ETag to replace it."""
    written = await services.policies.replace(
        caller,
        table_id,
        body,
        if_match=conditions.if_match,
        if_none_match=conditions.if_none_match,
        message=message,
        acknowledge=acknowledge,
    )
    if conditions.if_none_match:
        response.status_code = 201
        response.headers["Location"] = request.url.path
    set_etag(response, written.policy.version)
    return TablePolicy.from_domain(written)


@router.delete(
    "/policy",
    status_code=204,
    summary="Delete a table's own policy",
    responses=problems(*CONDITIONS, *TABLE),
)
async def delete_table_policy(
    *,
    table_id: TableIdPath,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: VersionRead,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> None:
    """Delete the policy: all settings are inherited again. Needs If-Match."""
    await services.policies.delete(
        caller, table_id, if_match=conditions.if_match, message=message, acknowledge=acknowledge
    )


@router.get(
    "/policy/versions",
    summary="List the versions of a table's own policy, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_table_policy_versions(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, pages: PageQuery
) -> PolicyVersionList:
    """List all versions, including deletions, each with its changes."""
    page = await pages.collect(
        lambda before, limit: services.policies.versions(caller, table_id, before=before, limit=limit),
        key=lambda compared: compared.version.version,
        of=int,
    )
    return PolicyVersionList.of(page)


@router.get(
    "/policy/versions/{version}",
    summary="Show one version of a table's own policy",
    responses=problems("not_found", "invalid_input"),
)
async def get_table_policy_version(
    table_id: TableIdPath, version: VersionPath, services: ServicesDep, caller: ViewerDep
) -> PolicyVersion:
    """Show a version and its changes from the version before."""
    return PolicyVersion.from_domain(await services.policies.version(caller, table_id, version))


@router.post(
    "/policy/restore",
    summary="Restore a version of a table's own policy",
    responses=problems(*WITH_BODY, *CONDITIONS, *TABLE),
)
async def restore_table_policy(
    *,
    table_id: TableIdPath,
    body: PolicyRestore,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: Conditions,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> TablePolicy:
    """Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion."""
    written = await services.policies.restore(
        caller,
        table_id,
        body.version,
        if_match=conditions.if_match,
        if_none_match=conditions.if_none_match,
        message=message,
        acknowledge=acknowledge,
    )
    set_etag(response, written.policy.version)
    return TablePolicy.from_domain(written)


@router.get(
    "/effective-policy",
    summary="Show every setting that applies to a table",
    responses=problems("not_found", *TABLE, "invalid_input"),
)
async def get_effective_policy(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> EffectivePolicy:
    """Show the merged policy with the origin of every setting, and whether it has its effect in this version."""
    return EffectivePolicy.from_domain(table_id, await services.policies.effective(caller, table_id))
