# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.run_state import RunState

if TYPE_CHECKING:
    from ..models.history_entry_plan import HistoryEntryPlan
    from ..models.history_entry_result import HistoryEntryResult


T = TypeVar("T", bound="HistoryEntry")


@_attrs_define
class HistoryEntry:
    """A run that changed the table."""

    finished_at: datetime.datetime | None
    """ Time at which it ended; null: not yet. """
    id: str
    """ The run. """
    plan: HistoryEntryPlan
    """ Summary and prediction of the plan. """
    requested_by: str
    """ Caller that requested the run; `coordinator` for automatic runs. """
    result: HistoryEntryResult
    """ Measured figures, to compare with the prediction, and the proof of each snapshot. """
    snapshot_ids: list[str]
    """ Snapshots of the run, oldest first. """
    started_at: datetime.datetime | None
    """ Time at which it started; null: not yet. """
    state: RunState
    """ State of a run. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        id = self.id

        plan = self.plan.to_dict()

        requested_by = self.requested_by

        result = self.result.to_dict()

        snapshot_ids = self.snapshot_ids

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        state = self.state.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "finished_at": finished_at,
                "id": id,
                "plan": plan,
                "requested_by": requested_by,
                "result": result,
                "snapshot_ids": snapshot_ids,
                "started_at": started_at,
                "state": state,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.history_entry_plan import HistoryEntryPlan  # noqa: PLC0415
        from ..models.history_entry_result import HistoryEntryResult  # noqa: PLC0415

        d = dict(src_dict)

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

        plan = HistoryEntryPlan.from_dict(d.pop("plan"))

        requested_by = d.pop("requested_by")

        result = HistoryEntryResult.from_dict(d.pop("result"))

        snapshot_ids = cast(list[str], d.pop("snapshot_ids"))

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

        history_entry = cls(
            finished_at=finished_at,
            id=id,
            plan=plan,
            requested_by=requested_by,
            result=result,
            snapshot_ids=snapshot_ids,
            started_at=started_at,
            state=state,
        )

        history_entry.additional_properties = d
        return history_entry

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
