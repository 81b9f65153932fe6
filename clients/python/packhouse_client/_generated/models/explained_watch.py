# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.verdict import Verdict

T = TypeVar("T", bound="ExplainedWatch")


@_attrs_define
class ExplainedWatch:
    """State of the coordinator's watch over the table, and the verdict of its last look."""

    changed_at: datetime.datetime | None
    """ Time at which a look found a new commit. """
    code: None | str
    """ Reason why it was held back or could not be read. """
    detail: None | str
    """ Explanation in words; null: there is none. """
    due_since: datetime.datetime | None
    """ Since when looks have found a rule due; null while none is. """
    interval_seconds: int
    """ Between looks: longer while nothing changes. """
    looked_at: datetime.datetime | None
    """ Null: not yet. """
    next_look_at: datetime.datetime
    """ Time of the coordinator's next look at the table. """
    verdict: Verdict
    """ Result of the last look of a coordinator at a table. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        changed_at: None | str
        if isinstance(self.changed_at, datetime.datetime):
            changed_at = self.changed_at.isoformat()
        else:
            changed_at = self.changed_at

        code: None | str
        code = self.code

        detail: None | str
        detail = self.detail

        due_since: None | str
        if isinstance(self.due_since, datetime.datetime):
            due_since = self.due_since.isoformat()
        else:
            due_since = self.due_since

        interval_seconds = self.interval_seconds

        looked_at: None | str
        if isinstance(self.looked_at, datetime.datetime):
            looked_at = self.looked_at.isoformat()
        else:
            looked_at = self.looked_at

        next_look_at = self.next_look_at.isoformat()

        verdict = self.verdict.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "changed_at": changed_at,
                "code": code,
                "detail": detail,
                "due_since": due_since,
                "interval_seconds": interval_seconds,
                "looked_at": looked_at,
                "next_look_at": next_look_at,
                "verdict": verdict,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_changed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                changed_at_type_0 = datetime.datetime.fromisoformat(data)

                return changed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        changed_at = _parse_changed_at(d.pop("changed_at"))

        def _parse_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        code = _parse_code(d.pop("code"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        def _parse_due_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_since_type_0 = datetime.datetime.fromisoformat(data)

                return due_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        due_since = _parse_due_since(d.pop("due_since"))

        interval_seconds = d.pop("interval_seconds")

        def _parse_looked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                looked_at_type_0 = datetime.datetime.fromisoformat(data)

                return looked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        looked_at = _parse_looked_at(d.pop("looked_at"))

        next_look_at = datetime.datetime.fromisoformat(d.pop("next_look_at"))

        verdict = Verdict(d.pop("verdict"))

        explained_watch = cls(
            changed_at=changed_at,
            code=code,
            detail=detail,
            due_since=due_since,
            interval_seconds=interval_seconds,
            looked_at=looked_at,
            next_look_at=next_look_at,
            verdict=verdict,
        )

        explained_watch.additional_properties = d
        return explained_watch

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
