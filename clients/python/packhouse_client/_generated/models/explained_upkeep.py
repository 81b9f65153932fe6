# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.operation import Operation

T = TypeVar("T", bound="ExplainedUpkeep")


@_attrs_define
class ExplainedUpkeep:
    """An operation besides `rewrite` that the policy has switched on, and whether it is due."""

    blocked: None | str
    """ Code of the reason why there can be no run of it; null: there can. """
    detail: str
    """ Effect of a run now, or the reason why there can be none. """
    due: bool
    """ True: a run of it starts automatically once nothing holds the table back. """
    due_at: datetime.datetime | None
    """ Time at which it is due if nothing more is written; null: not without further writes. """
    operation: Operation
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    setting: str
    """ The setting that switches it on. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        blocked: None | str
        blocked = self.blocked

        detail = self.detail

        due = self.due

        due_at: None | str
        if isinstance(self.due_at, datetime.datetime):
            due_at = self.due_at.isoformat()
        else:
            due_at = self.due_at

        operation = self.operation.value

        setting = self.setting

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "blocked": blocked,
                "detail": detail,
                "due": due,
                "due_at": due_at,
                "operation": operation,
                "setting": setting,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_blocked(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        blocked = _parse_blocked(d.pop("blocked"))

        detail = d.pop("detail")

        due = d.pop("due")

        def _parse_due_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_at_type_0 = datetime.datetime.fromisoformat(data)

                return due_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        due_at = _parse_due_at(d.pop("due_at"))

        operation = Operation(d.pop("operation"))

        setting = d.pop("setting")

        explained_upkeep = cls(
            blocked=blocked,
            detail=detail,
            due=due,
            due_at=due_at,
            operation=operation,
            setting=setting,
        )

        explained_upkeep.additional_properties = d
        return explained_upkeep

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
