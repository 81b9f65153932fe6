# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Backlog")


@_attrs_define
class Backlog:
    """Avoidable files, and how long they take at the rates of the last 24 hours."""

    avoidable_files: int
    """ Files that rewriting would save. """
    detail: str
    """ Basis of the estimate. """
    eta_seconds: float | None
    """ Null: never at these rates; `detail` says why. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avoidable_files = self.avoidable_files

        detail = self.detail

        eta_seconds: float | None
        eta_seconds = self.eta_seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avoidable_files": avoidable_files,
                "detail": detail,
                "eta_seconds": eta_seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        avoidable_files = d.pop("avoidable_files")

        detail = d.pop("detail")

        def _parse_eta_seconds(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        eta_seconds = _parse_eta_seconds(d.pop("eta_seconds"))

        backlog = cls(
            avoidable_files=avoidable_files,
            detail=detail,
            eta_seconds=eta_seconds,
        )

        backlog.additional_properties = d
        return backlog

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
