"""Policies of wider scopes: the fleet, a team, a catalog, a namespace, a pattern of addresses, a label."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from api.deps import OwnerDep, ServicesDep, ViewerDep
from api.http.acknowledgements import DELETING, Acknowledge
from api.http.idempotency import IdempotentRoute, KeyedRequestDep, answer_of, idempotency_key, response_of
from api.http.preconditions import Conditions, VersionRead, set_etag
from api.listing.pagination import PageQuery
from api.listing.policies import PolicyScopeQuery
from api.problems.pointers import in_policy_field
from api.problems.responses import WITH_BODY, problems
from api.routes.policies.of_tables import CONDITIONS, PolicyMessage, VersionPath
from api.schemas.policies.policy import (
    PolicyCreate,
    PolicyRestore,
    PolicyVersion,
    PolicyVersionList,
    ScopedPolicy,
    ScopedPolicyList,
    scope_to_domain,
)
from engine.domain.access.keyed_requests import StoredAnswer
from engine.domain.policies import PolicyDocument
from engine.services.access.idempotency import AnswerRecord
from engine.services.policies.writes import Written

creating = APIRouter(
    prefix="/v1/policies", tags=["policies"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/policies", tags=["policies"])

PolicyName = Annotated[
    str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$", description="Name of the policy.", examples=["sales"])
]


@creating.post(
    "",
    status_code=201,
    summary="Create a policy for more than one table",
    response_model=ScopedPolicy,
    responses=problems(*WITH_BODY, *DELETING, "state_conflict"),
)
async def create_policy(
    *,
    body: PolicyCreate,
    request: Request,
    services: ServicesDep,
    caller: OwnerDep,
    keyed: KeyedRequestDep,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> Response:
    """Store a policy for a scope, which stays. Each scope has at most one policy, but a pattern may have several.

    Owners write policies of the scope `team` for their own teams; all other scopes need the role admin.
    """

    def created(written: Written) -> StoredAnswer:
        location = f"{request.url.path}/{body.name}"
        return answer_of(ScopedPolicy.from_domain(written), 201, location=location, version=written.policy.version)

    record, scope = AnswerRecord(created, keyed), scope_to_domain(body.scope)
    with in_policy_field():
        await services.scoped_policies.create(
            caller, body.name, scope, body.policy, message=message, acknowledge=acknowledge, record=record
        )
    return response_of(record.answer)


@router.get("", summary="List policies by name", responses=problems("invalid_input"))
async def list_policies(
    services: ServicesDep, caller: ViewerDep, pages: PageQuery, scope: PolicyScopeQuery
) -> ScopedPolicyList:
    """List the policies of all scopes but single tables."""
    page = await pages.collect(
        lambda after, limit: services.scoped_policies.list(caller, after=after, limit=limit, scope=scope),
        key=lambda policy: policy.name,
        of=str,
    )
    return ScopedPolicyList.of(page)


@router.get("/{name}", summary="Show a policy", responses=problems("not_found", "invalid_input"))
async def get_policy(name: PolicyName, response: Response, services: ServicesDep, caller: ViewerDep) -> ScopedPolicy:
    """Show a policy; its ETag is needed to replace or delete it."""
    shown = await services.scoped_policies.get(caller, name)
    set_etag(response, shown.policy.version)
    return ScopedPolicy.from_domain(shown)


@router.put("/{name}", summary="Replace a policy", responses=problems(*WITH_BODY, *CONDITIONS))
async def replace_policy(
    *,
    name: PolicyName,
    body: PolicyDocument,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: VersionRead,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> ScopedPolicy:
    """Write the document as a whole; the scope stays. Needs If-Match."""
    written = await services.scoped_policies.replace(
        caller, name, body, conditions.version(), message=message, acknowledge=acknowledge
    )
    set_etag(response, written.policy.version)
    return ScopedPolicy.from_domain(written)


@router.delete(
    "/{name}",
    status_code=204,
    summary="Delete a policy",
    responses=problems(*CONDITIONS),
)
async def delete_policy(
    *,
    name: PolicyName,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: VersionRead,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> None:
    """Delete a policy; its versions stay and can be restored. Needs If-Match."""
    await services.scoped_policies.delete(caller, name, conditions.version(), message=message, acknowledge=acknowledge)


@router.get(
    "/{name}/versions",
    summary="List the versions of a policy, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_policy_versions(
    name: PolicyName, services: ServicesDep, caller: ViewerDep, pages: PageQuery
) -> PolicyVersionList:
    """List all versions under a name, including deletions, each with its changes."""
    page = await pages.collect(
        lambda before, limit: services.scoped_policies.versions(caller, name, before=before, limit=limit),
        key=lambda compared: compared.version.version,
        of=int,
    )
    return PolicyVersionList.of(page)


@router.get(
    "/{name}/versions/{version}",
    summary="Show one version of a policy",
    responses=problems("not_found", "invalid_input"),
)
async def get_policy_version(
    name: PolicyName, version: VersionPath, services: ServicesDep, caller: ViewerDep
) -> PolicyVersion:
    """Show a version and its changes from the version before."""
    return PolicyVersion.from_domain(await services.scoped_policies.version(caller, name, version))


@router.post(
    "/{name}/restore",
    summary="Restore a version of a policy",
    responses=problems(*WITH_BODY, *CONDITIONS, "state_conflict"),
)
async def restore_policy(
    *,
    name: PolicyName,
    body: PolicyRestore,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: Conditions,
    message: PolicyMessage = None,
    acknowledge: Acknowledge = None,
) -> ScopedPolicy:
    """Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion."""
    written = await services.scoped_policies.restore(
        caller,
        name,
        body.version,
        if_match=conditions.if_match,
        if_none_match=conditions.if_none_match,
        message=message,
        acknowledge=acknowledge,
    )
    set_etag(response, written.policy.version)
    return ScopedPolicy.from_domain(written)
