# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SizeClass")


@_attrs_define
class SizeClass:
    """Files of `from_bytes` to below `below_bytes` (null: no bound)."""

    below_bytes: int | None
    """ Upper bound, exclusive; null: none. """
    file_count: int
    """ Live data files. """
    from_bytes: int
    """ Lower bound, inclusive. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        below_bytes: int | None
        below_bytes = self.below_bytes

        file_count = self.file_count

        from_bytes = self.from_bytes

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "below_bytes": below_bytes,
                "file_count": file_count,
                "from_bytes": from_bytes,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_below_bytes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        below_bytes = _parse_below_bytes(d.pop("below_bytes"))

        file_count = d.pop("file_count")

        from_bytes = d.pop("from_bytes")

        total_bytes = d.pop("total_bytes")

        size_class = cls(
            below_bytes=below_bytes,
            file_count=file_count,
            from_bytes=from_bytes,
            total_bytes=total_bytes,
        )

        size_class.additional_properties = d
        return size_class

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
