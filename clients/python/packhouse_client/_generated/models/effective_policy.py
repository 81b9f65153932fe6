# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.effective_policy_settings import EffectivePolicySettings


T = TypeVar("T", bound="EffectivePolicy")


@_attrs_define
class EffectivePolicy:
    """Every setting that holds for a table, by dotted name, with where it came from."""

    notes: list[str]
    """ Notes on missing parts, such as properties that can't be read now. """
    settings: EffectivePolicySettings
    """ Settings with their origins, by dotted name. """
    table_id: str
    """ Id of the registered table. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        notes = self.notes

        settings = self.settings.to_dict()

        table_id = self.table_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "notes": notes,
                "settings": settings,
                "table_id": table_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.effective_policy_settings import EffectivePolicySettings  # noqa: PLC0415

        d = dict(src_dict)
        notes = cast(list[str], d.pop("notes"))

        settings = EffectivePolicySettings.from_dict(d.pop("settings"))

        table_id = d.pop("table_id")

        effective_policy = cls(
            notes=notes,
            settings=settings,
            table_id=table_id,
        )

        effective_policy.additional_properties = d
        return effective_policy

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
