# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.policy_document_output import PolicyDocumentOutput


T = TypeVar("T", bound="Preset")


@_attrs_define
class Preset:
    """A named base to start from; a policy's own settings win over it."""

    name: str
    """ Its name. """
    policy: PolicyDocumentOutput
    """ A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
    """
    source: str
    """ Source of its figures. """
    summary: str
    """ Purpose of the preset. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        policy = self.policy.to_dict()

        source = self.source

        summary = self.summary

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "policy": policy,
                "source": source,
                "summary": summary,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.policy_document_output import PolicyDocumentOutput  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        policy = PolicyDocumentOutput.from_dict(d.pop("policy"))

        source = d.pop("source")

        summary = d.pop("summary")

        preset = cls(
            name=name,
            policy=policy,
            source=source,
            summary=summary,
        )

        preset.additional_properties = d
        return preset

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
