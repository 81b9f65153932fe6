"""A table's own policy, and the effective one."""

from fastapi import APIRouter, Response

from api.deps import OwnerDep, ServicesDep, TableIdPath, ViewerDep
from api.preconditions import Conditions, set_etag
from api.responses import WITH_BODY, problems
from api.schemas.policies import EffectivePolicy, TablePolicy
from engine.domain.policies import PolicyDocument

router = APIRouter(prefix="/v1/tables/{table_id}", tags=["policies"])
_CONDITIONS = ("precondition_failed", "precondition_required", "not_found", "invalid_input")


@router.get(
    "/policy",
    summary="Show a table's own policy",
    responses=problems("not_found", "invalid_input"),
    response_model_exclude_none=True,
)
async def get_table_policy(
    table_id: TableIdPath, response: Response, services: ServicesDep, caller: ViewerDep
) -> TablePolicy:
    """Show the fields that the table's own policy sets; its ETag is needed to replace or delete it."""
    stored = await services.policies.get(caller, table_id)
    set_etag(response, stored.version)
    return TablePolicy.from_domain(table_id, stored)


@router.put(
    "/policy",
    summary="Write a table's own policy",
    responses=problems(*WITH_BODY, *_CONDITIONS, "state_conflict", "table_replaced"),
    response_model_exclude_none=True,
)
async def put_table_policy(
    *,
    table_id: TableIdPath,
    body: PolicyDocument,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: Conditions,
) -> TablePolicy:
    """Write the policy as a whole: If-None-Match: * for the first, If-Match with its ETag to replace it."""
    stored = await services.policies.put(
        caller, table_id, body, if_match=conditions.if_match, if_none_match=conditions.if_none_match
    )
    set_etag(response, stored.policy.version)
    return TablePolicy.from_domain(table_id, stored.policy)


@router.delete("/policy", status_code=204, summary="Delete a table's own policy", responses=problems(*_CONDITIONS))
async def delete_table_policy(
    table_id: TableIdPath, services: ServicesDep, caller: OwnerDep, conditions: Conditions
) -> None:
    """Delete the policy: all settings are inherited again. Needs If-Match."""
    await services.policies.delete(caller, table_id, if_match=conditions.if_match)


@router.get(
    "/effective-policy",
    summary="Show every setting that holds for a table",
    responses=problems("not_found", "state_conflict", "table_replaced", "invalid_input"),
)
async def get_effective_policy(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> EffectivePolicy:
    """Show the merged policy with the origin of every field."""
    return EffectivePolicy.from_domain(table_id, (await services.policies.effective(caller, table_id)).policy)
