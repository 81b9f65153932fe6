# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.signal_kind import SignalKind

if TYPE_CHECKING:
    from ..models.backpressure import Backpressure
    from ..models.commit_seen import CommitSeen
    from ..models.filters import Filters
    from ..models.query_latency import QueryLatency


T = TypeVar("T", bound="Signal")


@_attrs_define
class Signal:
    """A stored signal."""

    acted_on: bool
    """ False: shown, not acted on in this version. """
    at: datetime.datetime
    """ Time at which it was received. """
    id: int
    """ Identifier; stable. """
    kind: SignalKind
    """ Subject of a signal. """
    sent_by: str
    """ Caller that sent it. """
    signal: Backpressure | CommitSeen | Filters | QueryLatency
    """ Content of the signal. """
    table_id: None | str
    """ Null: it is about the whole fleet. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.backpressure import Backpressure  # noqa: PLC0415
        from ..models.commit_seen import CommitSeen  # noqa: PLC0415
        from ..models.query_latency import QueryLatency  # noqa: PLC0415

        acted_on = self.acted_on

        at = self.at.isoformat()

        id = self.id

        kind = self.kind.value

        sent_by = self.sent_by

        signal: dict[str, Any]
        if isinstance(self.signal, CommitSeen):
            signal = self.signal.to_dict()
        elif isinstance(self.signal, QueryLatency):
            signal = self.signal.to_dict()
        elif isinstance(self.signal, Backpressure):
            signal = self.signal.to_dict()
        else:
            signal = self.signal.to_dict()

        table_id: None | str
        table_id = self.table_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "acted_on": acted_on,
                "at": at,
                "id": id,
                "kind": kind,
                "sent_by": sent_by,
                "signal": signal,
                "table_id": table_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.backpressure import Backpressure  # noqa: PLC0415
        from ..models.commit_seen import CommitSeen  # noqa: PLC0415
        from ..models.filters import Filters  # noqa: PLC0415
        from ..models.query_latency import QueryLatency  # noqa: PLC0415

        d = dict(src_dict)
        acted_on = d.pop("acted_on")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        id = d.pop("id")

        kind = SignalKind(d.pop("kind"))

        sent_by = d.pop("sent_by")

        def _parse_signal(data: object) -> Backpressure | CommitSeen | Filters | QueryLatency:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                signal_type_0 = CommitSeen.from_dict(data)

                return signal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                signal_type_1 = QueryLatency.from_dict(data)

                return signal_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                signal_type_2 = Backpressure.from_dict(data)

                return signal_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            signal_type_3 = Filters.from_dict(data)

            return signal_type_3

        signal = _parse_signal(d.pop("signal"))

        def _parse_table_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        table_id = _parse_table_id(d.pop("table_id"))

        signal = cls(
            acted_on=acted_on,
            at=at,
            id=id,
            kind=kind,
            sent_by=sent_by,
            signal=signal,
            table_id=table_id,
        )

        signal.additional_properties = d
        return signal

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
