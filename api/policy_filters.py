"""Filters of policy lists, read from query parameters."""

from typing import Annotated

from fastapi import Depends, Query

from api.table_filters import read_label
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.policies import PolicyScope, PolicyScopeKind


async def policy_scope(
    team: Annotated[
        str | None,
        Query(min_length=1, max_length=128, description="Only the policy of this team.", examples=["growth"]),
    ] = None,
    label: Annotated[
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
    if team is not None and label is not None:
        problem = FieldProblem("query:label", "a policy has one scope: give `team` or `label`, not both", label)
        raise InvalidInput("the filter fits no policy", problems=(problem,))
    if team is not None:
        return PolicyScope(PolicyScopeKind.TEAM, team=team)
    if label is not None:
        key, value = read_label(label)
        return PolicyScope(PolicyScopeKind.LABEL, label_key=key, label_value=value)
    return None


PolicyScopeQuery = Annotated[PolicyScope | None, Depends(policy_scope)]
