"""Filters of policy lists, read from query parameters."""

from typing import Annotated, Final

from fastapi import Depends, Query

from api.listing.tables import read_label
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.policies import PolicyScope, PolicyScopeKind

_ONE: Final = "a policy has one scope: give `scope_team` or `scope_label`, not both"


async def policy_scope(
    scope_team: Annotated[
        str | None,
        Query(min_length=1, max_length=128, description="Only the policy of this team.", examples=["growth"]),
    ] = None,
    scope_label: Annotated[
        str | None,
        Query(
            max_length=511,
            description="Only the policy of this label, written `key:value`.",
            examples=["tier:gold"],
            json_schema_extra={"pattern": "^[^:]+:"},
        ),
    ] = None,
) -> PolicyScope | None:
    """Return the one scope that a list is limited to, None for all.

    Raises:
        InvalidInput: a team and a label are given, or the label is not `key:value`.
    """
    if scope_team is not None and scope_label is not None:
        problem = FieldProblem("query:scope_label", _ONE, scope_label)
        raise InvalidInput("the filter fits no policy", problems=(problem,))
    if scope_team is not None:
        return PolicyScope(PolicyScopeKind.TEAM, team=scope_team)
    if scope_label is not None:
        key, value = read_label(scope_label, name="scope_label")
        return PolicyScope(PolicyScopeKind.LABEL, label_key=key, label_value=value)
    return None


PolicyScopeQuery = Annotated[PolicyScope | None, Depends(policy_scope)]
