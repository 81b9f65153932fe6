# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.run_state import RunState

if TYPE_CHECKING:
    from ..models.run_event_details import RunEventDetails


T = TypeVar("T", bound="RunEvent")


@_attrs_define
class RunEvent:
    """One entry of a run's log. Events are never changed."""

    actor: str
    """ Caller or process that caused the event. """
    at: datetime.datetime
    """ Time at which it was recorded. """
    attempt: int
    """ Number of the attempt, from 1. """
    details: RunEventDetails
    """ Further facts, by name; they depend on `kind`. """
    from_state: None | RunState
    """ State before; null: no transition, or the first. """
    kind: str
    """ Kind of the event. """
    reason: None | str
    """ Stable word for the reason; null: none. """
    run_id: str
    """ The run. """
    sequence: int
    """ Grows within the run; the id of the event in a stream. """
    to_state: None | RunState
    """ State after; null: no transition. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        actor = self.actor

        at = self.at.isoformat()

        attempt = self.attempt

        details = self.details.to_dict()

        from_state: None | str
        if isinstance(self.from_state, RunState):
            from_state = self.from_state.value
        else:
            from_state = self.from_state

        kind = self.kind

        reason: None | str
        reason = self.reason

        run_id = self.run_id

        sequence = self.sequence

        to_state: None | str
        if isinstance(self.to_state, RunState):
            to_state = self.to_state.value
        else:
            to_state = self.to_state

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "actor": actor,
                "at": at,
                "attempt": attempt,
                "details": details,
                "from_state": from_state,
                "kind": kind,
                "reason": reason,
                "run_id": run_id,
                "sequence": sequence,
                "to_state": to_state,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_event_details import RunEventDetails  # noqa: PLC0415

        d = dict(src_dict)
        actor = d.pop("actor")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        attempt = d.pop("attempt")

        details = RunEventDetails.from_dict(d.pop("details"))

        def _parse_from_state(data: object) -> None | RunState:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                from_state_type_0 = RunState(data)

                return from_state_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RunState, data)

        from_state = _parse_from_state(d.pop("from_state"))

        kind = d.pop("kind")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        run_id = d.pop("run_id")

        sequence = d.pop("sequence")

        def _parse_to_state(data: object) -> None | RunState:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                to_state_type_0 = RunState(data)

                return to_state_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RunState, data)

        to_state = _parse_to_state(d.pop("to_state"))

        run_event = cls(
            actor=actor,
            at=at,
            attempt=attempt,
            details=details,
            from_state=from_state,
            kind=kind,
            reason=reason,
            run_id=run_id,
            sequence=sequence,
            to_state=to_state,
        )

        run_event.additional_properties = d
        return run_event

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
