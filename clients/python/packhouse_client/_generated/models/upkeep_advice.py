# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="UpkeepAdvice")


@_attrs_define
class UpkeepAdvice:
    """Cost of rewriting at the present rate."""

    because: list[str]
    """ Reasons to rewrite more or less often, in words. """
    extra_storage_bytes: float
    """ Bytes of superseded files until their snapshots expire. """
    rewritten_bytes_per_day: float
    """ Bytes that rewrites read per day. """
    update_share: float | None
    """ Snapshots that delete or replace rows, among all; null: no snapshots. """
    write_amplification: float | None
    """ Bytes rewritten by bytes ingested; null: none ingested. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        because = self.because

        extra_storage_bytes = self.extra_storage_bytes

        rewritten_bytes_per_day = self.rewritten_bytes_per_day

        update_share: float | None
        update_share = self.update_share

        write_amplification: float | None
        write_amplification = self.write_amplification

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "because": because,
                "extra_storage_bytes": extra_storage_bytes,
                "rewritten_bytes_per_day": rewritten_bytes_per_day,
                "update_share": update_share,
                "write_amplification": write_amplification,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        because = cast(list[str], d.pop("because"))

        extra_storage_bytes = d.pop("extra_storage_bytes")

        rewritten_bytes_per_day = d.pop("rewritten_bytes_per_day")

        def _parse_update_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        update_share = _parse_update_share(d.pop("update_share"))

        def _parse_write_amplification(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        write_amplification = _parse_write_amplification(d.pop("write_amplification"))

        upkeep_advice = cls(
            because=because,
            extra_storage_bytes=extra_storage_bytes,
            rewritten_bytes_per_day=rewritten_bytes_per_day,
            update_share=update_share,
            write_amplification=write_amplification,
        )

        upkeep_advice.additional_properties = d
        return upkeep_advice

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
