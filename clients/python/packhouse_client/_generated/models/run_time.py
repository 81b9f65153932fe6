# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.attempt_time import AttemptTime
    from ..models.run_time_waiting import RunTimeWaiting


T = TypeVar("T", bound="RunTime")


@_attrs_define
class RunTime:
    """Time of a run from its submission to its end or now: every attempt at work, and every wait."""

    attempts: list[AttemptTime]
    """ The last fifty, oldest first. """
    attempts_total: int
    """ Number of attempts. """
    queued_seconds: float
    """ Before the first attempt; part of `waiting_seconds`. """
    total_seconds: float
    """ `working_seconds` + `waiting_seconds`. """
    waiting: RunTimeWaiting
    """ The waits by cause, in seconds: `worker` (for a free worker, room under `parallel_runs`, or the end of a
    pause) and the values of `waiting_for`. """
    waiting_seconds: float
    """ Before and between attempts. """
    working_seconds: float
    """ Of all attempts. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)

        attempts_total = self.attempts_total

        queued_seconds = self.queued_seconds

        total_seconds = self.total_seconds

        waiting = self.waiting.to_dict()

        waiting_seconds = self.waiting_seconds

        working_seconds = self.working_seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempts": attempts,
                "attempts_total": attempts_total,
                "queued_seconds": queued_seconds,
                "total_seconds": total_seconds,
                "waiting": waiting,
                "waiting_seconds": waiting_seconds,
                "working_seconds": working_seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.attempt_time import AttemptTime  # noqa: PLC0415
        from ..models.run_time_waiting import RunTimeWaiting  # noqa: PLC0415

        d = dict(src_dict)
        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in _attempts:
            attempts_item = AttemptTime.from_dict(attempts_item_data)

            attempts.append(attempts_item)

        attempts_total = d.pop("attempts_total")

        queued_seconds = d.pop("queued_seconds")

        total_seconds = d.pop("total_seconds")

        waiting = RunTimeWaiting.from_dict(d.pop("waiting"))

        waiting_seconds = d.pop("waiting_seconds")

        working_seconds = d.pop("working_seconds")

        run_time = cls(
            attempts=attempts,
            attempts_total=attempts_total,
            queued_seconds=queued_seconds,
            total_seconds=total_seconds,
            waiting=waiting,
            waiting_seconds=waiting_seconds,
            working_seconds=working_seconds,
        )

        run_time.additional_properties = d
        return run_time

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
