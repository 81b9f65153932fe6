# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.check_step import CheckStep


T = TypeVar("T", bound="CatalogCheck")


@_attrs_define
class CatalogCheck:
    """A connection check: good when every step is."""

    ok: bool
    """ True: every step succeeded. """
    steps: list[CheckStep]
    """ The steps, in order; the first that fails is the last. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ok = self.ok

        steps = []
        for steps_item_data in self.steps:
            steps_item = steps_item_data.to_dict()
            steps.append(steps_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ok": ok,
                "steps": steps,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.check_step import CheckStep  # noqa: PLC0415

        d = dict(src_dict)
        ok = d.pop("ok")

        steps = []
        _steps = d.pop("steps")
        for steps_item_data in _steps:
            steps_item = CheckStep.from_dict(steps_item_data)

            steps.append(steps_item)

        catalog_check = cls(
            ok=ok,
            steps=steps,
        )

        catalog_check.additional_properties = d
        return catalog_check

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
