# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.all_ import All
    from ..models.any_of import AnyOf
    from ..models.comparison import Comparison
    from ..models.not_ import Not
    from ..models.policy_document_input import PolicyDocumentInput


T = TypeVar("T", bound="PlanRequest")


@_attrs_define
class PlanRequest:
    """Settings of a plan."""

    every_file: bool | Unset = False
    """ As `force_full`, including files that are merged with no other. """
    force: bool | Unset = False
    """ Include partitions that cool down after lost races. """
    force_full: bool | Unset = False
    """ Also files of the right size. """
    partitions: All | AnyOf | Comparison | None | Not | Unset = UNSET
    """ Partitions to take, as a condition on partition columns; null or left out: all. """
    policy: None | PolicyDocumentInput | Unset = UNSET
    """ Tried instead of the table's stored policy. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415
        from ..models.policy_document_input import PolicyDocumentInput  # noqa: PLC0415

        every_file = self.every_file

        force = self.force

        force_full = self.force_full

        partitions: dict[str, Any] | None | Unset
        if isinstance(self.partitions, Unset):
            partitions = UNSET
        elif isinstance(self.partitions, Comparison):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, All):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, AnyOf):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, Not):
            partitions = self.partitions.to_dict()
        else:
            partitions = self.partitions

        policy: dict[str, Any] | None | Unset
        if isinstance(self.policy, Unset):
            policy = UNSET
        elif isinstance(self.policy, PolicyDocumentInput):
            policy = self.policy.to_dict()
        else:
            policy = self.policy

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if every_file is not UNSET:
            field_dict["every_file"] = every_file
        if force is not UNSET:
            field_dict["force"] = force
        if force_full is not UNSET:
            field_dict["force_full"] = force_full
        if partitions is not UNSET:
            field_dict["partitions"] = partitions
        if policy is not UNSET:
            field_dict["policy"] = policy

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415
        from ..models.policy_document_input import PolicyDocumentInput  # noqa: PLC0415

        d = dict(src_dict)
        every_file = d.pop("every_file", UNSET)

        force = d.pop("force", UNSET)

        force_full = d.pop("force_full", UNSET)

        def _parse_partitions(data: object) -> All | AnyOf | Comparison | None | Not | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_0 = Comparison.from_dict(data)

                return partitions_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_1 = All.from_dict(data)

                return partitions_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_2 = AnyOf.from_dict(data)

                return partitions_type_0_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_3 = Not.from_dict(data)

                return partitions_type_0_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(All | AnyOf | Comparison | None | Not | Unset, data)

        partitions = _parse_partitions(d.pop("partitions", UNSET))

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
            every_file=every_file,
            force=force,
            force_full=force_full,
            partitions=partitions,
            policy=policy,
        )

        return plan_request
