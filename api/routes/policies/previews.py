"""Previews of changes of policies: what would change for which tables, and what would be deleted."""

from typing import assert_never

from fastapi import APIRouter

from api.deps import ServicesDep, TableIdPath, ViewerDep
from api.problems.pointers import in_policy_field
from api.problems.responses import WITH_BODY, problems
from api.routes.policies.of_tables import TABLE
from api.routes.policies.scoped import PolicyName
from api.schemas.policies.changes import (
    PolicyChange,
    PolicyCreation,
    PolicyDeletion,
    PolicyReplacement,
    PolicyRestoration,
    TablePolicyChange,
)
from api.schemas.policies.effects import PolicyPreview
from api.schemas.policies.policy import scope_to_domain

router = APIRouter(prefix="/v1", tags=["policies"])


@router.post(
    "/policies/{name}/preview",
    summary="Preview a change of a policy",
    responses=problems(*WITH_BODY, "not_found", "state_conflict"),
)
async def preview_policy(
    name: PolicyName, body: PolicyChange, services: ServicesDep, caller: ViewerDep
) -> PolicyPreview:
    """Show what a change of a policy would do, with the refusals that the change would meet."""
    policies = services.scoped_policies
    with in_policy_field(name="path:name"):
        match body:
            case PolicyCreation():
                found = await policies.preview_first(caller, name, scope_to_domain(body.scope), body.policy)
            case PolicyReplacement():
                found = await policies.preview(caller, name, body.policy)
            case PolicyRestoration():
                found = await policies.preview_restore(caller, name, body.version)
            case PolicyDeletion():
                found = await policies.preview(caller, name, None)
            case _:
                assert_never(body)
    return PolicyPreview.from_domain(found)


@router.post(
    "/tables/{table_id}/policy/preview",
    summary="Preview a change of a table's own policy",
    responses=problems(*WITH_BODY, "not_found", *TABLE),
)
async def preview_table_policy(
    table_id: TableIdPath, body: TablePolicyChange, services: ServicesDep, caller: ViewerDep
) -> PolicyPreview:
    """Show what a change of the table's own policy would do, with the refusals that the change would meet."""
    with in_policy_field():
        match body:
            case PolicyReplacement():
                found = await services.policies.preview(caller, table_id, body.policy)
            case PolicyRestoration():
                found = await services.policies.preview_restore(caller, table_id, body.version)
            case PolicyDeletion():
                found = await services.policies.preview(caller, table_id, None)
            case _:
                assert_never(body)
    return PolicyPreview.from_domain(found)
