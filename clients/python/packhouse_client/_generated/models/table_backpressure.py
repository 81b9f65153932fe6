# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.signal import Signal


T = TypeVar("T", bound="TableBackpressure")


@_attrs_define
class TableBackpressure:
    """Advice for writers to slow down, with the reason. Packhouse can't enforce it."""

    reason: str
    """ The reason. """
    signal: None | Signal
    """ The signal behind it; null when it follows from the format alone. """
    since: datetime.datetime | None
    """ Since when writers should slow down; null: they should not. """
    slow_down: bool
    """ Whether writers should slow down. """
    table_id: str
    """ Id of the registered table. """
    until: datetime.datetime | None
    """ Time at which the signal behind it expires; null without a signal. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.signal import Signal  # noqa: PLC0415

        reason = self.reason

        signal: dict[str, Any] | None
        if isinstance(self.signal, Signal):
            signal = self.signal.to_dict()
        else:
            signal = self.signal

        since: None | str
        if isinstance(self.since, datetime.datetime):
            since = self.since.isoformat()
        else:
            since = self.since

        slow_down = self.slow_down

        table_id = self.table_id

        until: None | str
        if isinstance(self.until, datetime.datetime):
            until = self.until.isoformat()
        else:
            until = self.until

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reason": reason,
                "signal": signal,
                "since": since,
                "slow_down": slow_down,
                "table_id": table_id,
                "until": until,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.signal import Signal  # noqa: PLC0415

        d = dict(src_dict)
        reason = d.pop("reason")

        def _parse_signal(data: object) -> None | Signal:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                signal_type_0 = Signal.from_dict(data)

                return signal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Signal, data)

        signal = _parse_signal(d.pop("signal"))

        def _parse_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                since_type_0 = datetime.datetime.fromisoformat(data)

                return since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        since = _parse_since(d.pop("since"))

        slow_down = d.pop("slow_down")

        table_id = d.pop("table_id")

        def _parse_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                until_type_0 = datetime.datetime.fromisoformat(data)

                return until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        until = _parse_until(d.pop("until"))

        table_backpressure = cls(
            reason=reason,
            signal=signal,
            since=since,
            slow_down=slow_down,
            table_id=table_id,
            until=until,
        )

        table_backpressure.additional_properties = d
        return table_backpressure

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
