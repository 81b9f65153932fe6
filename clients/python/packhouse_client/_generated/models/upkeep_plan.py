# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.operation import Operation

if TYPE_CHECKING:
    from ..models.upkeep_plan_details import UpkeepPlanDetails


T = TypeVar("T", bound="UpkeepPlan")


@_attrs_define
class UpkeepPlan:
    """Effect of a run of an operation besides `rewrite` now. Nothing was changed."""

    count: int
    """ Number of things that it would change; for an expiry, snapshots. """
    details: UpkeepPlanDetails
    """ By operation. `expire_snapshots`: the `rule`, `expired_total`, the first hundred `expired` with their time,
    and how many snapshots are `kept` for which reason. """
    enabled: bool
    """ Whether the policy allows automatic runs. """
    next_at: datetime.datetime | None
    """ Time from which there is more to do if nothing more is written; null: not without further writes. """
    operation: Operation
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    setting: str
    """ The setting that switches it on. """
    summary: str
    """ The same in words. """
    table_id: str
    """ Id of the registered table. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        details = self.details.to_dict()

        enabled = self.enabled

        next_at: None | str
        if isinstance(self.next_at, datetime.datetime):
            next_at = self.next_at.isoformat()
        else:
            next_at = self.next_at

        operation = self.operation.value

        setting = self.setting

        summary = self.summary

        table_id = self.table_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "details": details,
                "enabled": enabled,
                "next_at": next_at,
                "operation": operation,
                "setting": setting,
                "summary": summary,
                "table_id": table_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.upkeep_plan_details import UpkeepPlanDetails  # noqa: PLC0415

        d = dict(src_dict)
        count = d.pop("count")

        details = UpkeepPlanDetails.from_dict(d.pop("details"))

        enabled = d.pop("enabled")

        def _parse_next_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_at = _parse_next_at(d.pop("next_at"))

        operation = Operation(d.pop("operation"))

        setting = d.pop("setting")

        summary = d.pop("summary")

        table_id = d.pop("table_id")

        upkeep_plan = cls(
            count=count,
            details=details,
            enabled=enabled,
            next_at=next_at,
            operation=operation,
            setting=setting,
            summary=summary,
            table_id=table_id,
        )

        upkeep_plan.additional_properties = d
        return upkeep_plan

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
