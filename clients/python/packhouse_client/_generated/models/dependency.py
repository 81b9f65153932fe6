# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Dependency")


@_attrs_define
class Dependency:
    """One dependency."""

    detail: str
    """ A version, or the error. """
    name: str
    """ Name of the dependency. """
    ok: bool
    """ True: it answers. """
    required: bool
    """ True: nothing can be answered without it. """
    seconds: float
    """ Time until it answered, in seconds. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        detail = self.detail

        name = self.name

        ok = self.ok

        required = self.required

        seconds = self.seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "detail": detail,
                "name": name,
                "ok": ok,
                "required": required,
                "seconds": seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        detail = d.pop("detail")

        name = d.pop("name")

        ok = d.pop("ok")

        required = d.pop("required")

        seconds = d.pop("seconds")

        dependency = cls(
            detail=detail,
            name=name,
            ok=ok,
            required=required,
            seconds=seconds,
        )

        dependency.additional_properties = d
        return dependency

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
