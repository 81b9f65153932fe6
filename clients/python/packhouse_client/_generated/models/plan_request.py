# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.policy_document_input import PolicyDocumentInput


T = TypeVar("T", bound="PlanRequest")


@_attrs_define
class PlanRequest:
    """What to plan with."""

    policy: None | PolicyDocumentInput | Unset = UNSET
    """ Tried instead of the table's stored policy. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.policy_document_input import PolicyDocumentInput  # noqa: PLC0415

        policy: dict[str, Any] | None | Unset
        if isinstance(self.policy, Unset):
            policy = UNSET
        elif isinstance(self.policy, PolicyDocumentInput):
            policy = self.policy.to_dict()
        else:
            policy = self.policy

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if policy is not UNSET:
            field_dict["policy"] = policy

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.policy_document_input import PolicyDocumentInput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_policy(data: object) -> None | PolicyDocumentInput | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                policy_type_0 = PolicyDocumentInput.from_dict(data)

                return policy_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PolicyDocumentInput | Unset, data)

        policy = _parse_policy(d.pop("policy", UNSET))

        plan_request = cls(
            policy=policy,
        )

        return plan_request
