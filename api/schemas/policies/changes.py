"""Changes of policies whose effect a preview shows: the same documents as those of the writes."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.schemas.common import Request
from api.schemas.policies.policy import EXAMPLE, PolicyRestore, Scope
from engine.domain.policies import PolicyDocument


class PolicyReplacement(Request):
    """A document that replaces the stored one, or is a table's first."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"change": "replace", "policy": EXAMPLE}]})

    change: Literal["replace"] = Field(description="Write the whole document.")
    policy: PolicyDocument = Field(description="The whole document: fields that it leaves out are inherited.")


class PolicyCreation(Request):
    """A policy for a scope that has none."""

    change: Literal["create"] = Field(description="Write the policy of a scope for the first time.")
    scope: Scope
    policy: PolicyDocument = Field(default=PolicyDocument(), description="The fields to set.")


class PolicyRestoration(PolicyRestore):
    """An earlier version that becomes the next one."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"change": "restore", "version": 2}]})

    change: Literal["restore"] = Field(description="Write an earlier version again.")


class PolicyDeletion(Request):
    """The end of a policy: all its settings are inherited again."""

    change: Literal["delete"] = Field(description="Delete the policy.")


TablePolicyChange = Annotated[
    PolicyReplacement | PolicyRestoration | PolicyDeletion,
    Field(discriminator="change", examples=[{"change": "replace", "policy": EXAMPLE}]),
]
PolicyChange = Annotated[
    PolicyCreation | PolicyReplacement | PolicyRestoration | PolicyDeletion,
    Field(discriminator="change", examples=[{"change": "replace", "policy": EXAMPLE}]),
]
