# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Setting")


@_attrs_define
class Setting:
    """One effective setting."""

    acted_on: bool
    """ False: stored and shown, without effect in this version. """
    note: None | str
    """ Reason why it has no effect, or the part of its effect that is missing. """
    origin: str
    """ `default`, `table property`, `preset …`, `fleet`, `team …`, `catalog …`, `namespace …`, `pattern …`, `label
    …`, `table`, or `derived` from the target. """
    value: Any
    """ Bytes, a count, a share, a duration such as `6h`, or a word, as in the policy. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        acted_on = self.acted_on

        note: None | str
        note = self.note

        origin = self.origin

        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "acted_on": acted_on,
                "note": note,
                "origin": origin,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        acted_on = d.pop("acted_on")

        def _parse_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        note = _parse_note(d.pop("note"))

        origin = d.pop("origin")

        value = d.pop("value")

        setting = cls(
            acted_on=acted_on,
            note=note,
            origin=origin,
            value=value,
        )

        setting.additional_properties = d
        return setting

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
