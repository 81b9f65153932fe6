# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.operation import Operation
from ..models.run_state import RunState

T = TypeVar("T", bound="EndedRun")


@_attrs_define
class EndedRun:
    """A run that ended, with its reason."""

    added_files: int | None
    """ Files that the run added; null: none was committed. """
    detail: None | str
    """ Explanation in words; null: there is none. """
    finished_at: datetime.datetime | None
    """ Time at which it ended; null: not yet. """
    id: str
    """ Identifier; stable. """
    operation: Operation
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    reason: None | str
    """ Code of the reason why it ended. """
    requested_by: str
    """ Caller that requested the run; `coordinator` for automatic runs. """
    rewritten_files: int | None
    """ Files that the run replaced; null: none was committed. """
    started_at: datetime.datetime | None
    """ Time at which it started; null: not yet. """
    state: RunState
    """ State of a run. """
    words: None | str
    """ The reason in words. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        added_files: int | None
        added_files = self.added_files

        detail: None | str
        detail = self.detail

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        id = self.id

        operation = self.operation.value

        reason: None | str
        reason = self.reason

        requested_by = self.requested_by

        rewritten_files: int | None
        rewritten_files = self.rewritten_files

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        state = self.state.value

        words: None | str
        words = self.words

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "added_files": added_files,
                "detail": detail,
                "finished_at": finished_at,
                "id": id,
                "operation": operation,
                "reason": reason,
                "requested_by": requested_by,
                "rewritten_files": rewritten_files,
                "started_at": started_at,
                "state": state,
                "words": words,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_added_files(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        added_files = _parse_added_files(d.pop("added_files"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        id = d.pop("id")

        operation = Operation(d.pop("operation"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        requested_by = d.pop("requested_by")

        def _parse_rewritten_files(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        rewritten_files = _parse_rewritten_files(d.pop("rewritten_files"))

        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)

                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))

        state = RunState(d.pop("state"))

        def _parse_words(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        words = _parse_words(d.pop("words"))

        ended_run = cls(
            added_files=added_files,
            detail=detail,
            finished_at=finished_at,
            id=id,
            operation=operation,
            reason=reason,
            requested_by=requested_by,
            rewritten_files=rewritten_files,
            started_at=started_at,
            state=state,
            words=words,
        )

        ended_run.additional_properties = d
        return ended_run

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
