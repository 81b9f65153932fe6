# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

T = TypeVar("T", bound="FleetScope")


@_attrs_define
class FleetScope:
    """Every table."""

    kind: Literal["fleet"]
    """ The scope is the fleet. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["fleet"], d.pop("kind"))
        if kind != "fleet":
            raise ValueError(f"kind must match const 'fleet', got '{kind}'")

        fleet_scope = cls(
            kind=kind,
        )

        return fleet_scope
