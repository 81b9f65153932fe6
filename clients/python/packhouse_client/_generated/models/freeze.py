# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Freeze")


@_attrs_define
class Freeze:
    """A failed proof that could not be rolled back: no run of the table starts until it is unfrozen."""

    frozen_at: datetime.datetime
    """ Time at which the table was frozen. """
    parent_snapshot_id: None | str
    """ The snapshot before it, kept from expiry by a tag. Null when it had expired. """
    reason: str
    """ The failed check, why nothing was rolled back, and the remedy. """
    run_id: str
    """ The run whose snapshot failed its proof. """
    snapshot_id: str
    """ The snapshot that failed its proof. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        frozen_at = self.frozen_at.isoformat()

        parent_snapshot_id: None | str
        parent_snapshot_id = self.parent_snapshot_id

        reason = self.reason

        run_id = self.run_id

        snapshot_id = self.snapshot_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "frozen_at": frozen_at,
                "parent_snapshot_id": parent_snapshot_id,
                "reason": reason,
                "run_id": run_id,
                "snapshot_id": snapshot_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        frozen_at = datetime.datetime.fromisoformat(d.pop("frozen_at"))

        def _parse_parent_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        parent_snapshot_id = _parse_parent_snapshot_id(d.pop("parent_snapshot_id"))

        reason = d.pop("reason")

        run_id = d.pop("run_id")

        snapshot_id = d.pop("snapshot_id")

        freeze = cls(
            frozen_at=frozen_at,
            parent_snapshot_id=parent_snapshot_id,
            reason=reason,
            run_id=run_id,
            snapshot_id=snapshot_id,
        )

        freeze.additional_properties = d
        return freeze

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
