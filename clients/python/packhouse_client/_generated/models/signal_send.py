# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.backpressure import Backpressure
    from ..models.commit_seen import CommitSeen
    from ..models.filters import Filters
    from ..models.query_latency import QueryLatency


T = TypeVar("T", bound="SignalSend")


@_attrs_define
class SignalSend:
    """A signal from another system about a table or the fleet. Its kind decides the effect; see `signal`."""

    signal: Backpressure | CommitSeen | Filters | QueryLatency
    """ Content of the signal; `kind` decides its fields. """
    table_id: None | str | Unset = UNSET
    """ Id or address of the table; null: it is about the whole fleet. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.backpressure import Backpressure  # noqa: PLC0415
        from ..models.commit_seen import CommitSeen  # noqa: PLC0415
        from ..models.query_latency import QueryLatency  # noqa: PLC0415

        signal: dict[str, Any]
        if isinstance(self.signal, CommitSeen):
            signal = self.signal.to_dict()
        elif isinstance(self.signal, QueryLatency):
            signal = self.signal.to_dict()
        elif isinstance(self.signal, Backpressure):
            signal = self.signal.to_dict()
        else:
            signal = self.signal.to_dict()

        table_id: None | str | Unset
        if isinstance(self.table_id, Unset):
            table_id = UNSET
        else:
            table_id = self.table_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "signal": signal,
            }
        )
        if table_id is not UNSET:
            field_dict["table_id"] = table_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.backpressure import Backpressure  # noqa: PLC0415
        from ..models.commit_seen import CommitSeen  # noqa: PLC0415
        from ..models.filters import Filters  # noqa: PLC0415
        from ..models.query_latency import QueryLatency  # noqa: PLC0415

        d = dict(src_dict)

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

        def _parse_table_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        table_id = _parse_table_id(d.pop("table_id", UNSET))

        signal_send = cls(
            signal=signal,
            table_id=table_id,
        )

        return signal_send
