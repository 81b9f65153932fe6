# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.on_start import OnStart
from ..types import UNSET, Unset

T = TypeVar("T", bound="BlackoutOutput")


@_attrs_define
class BlackoutOutput:
    """A window that comes once: a freeze, a holiday, a migration.

    Times carry an offset (`Z`), or are local to `time_zone`. A date alone is its midnight.

    """

    from_: str
    """ Start of the window. """
    reason: str
    """ Shown where a run waits for it. """
    to: str
    """ End of the window. """
    on_start: OnStart | Unset = UNSET
    """ Behaviour of a running rewrite when a window begins, mildest first. """
    time_zone: None | str | Unset = UNSET
    """ IANA name, for times without an offset. """

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        reason = self.reason

        to = self.to

        on_start: str | Unset = UNSET
        if not isinstance(self.on_start, Unset):
            on_start = self.on_start.value

        time_zone: None | str | Unset
        if isinstance(self.time_zone, Unset):
            time_zone = UNSET
        else:
            time_zone = self.time_zone

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "reason": reason,
                "to": to,
            }
        )
        if on_start is not UNSET:
            field_dict["on_start"] = on_start
        if time_zone is not UNSET:
            field_dict["time_zone"] = time_zone

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_ = d.pop("from")

        reason = d.pop("reason")

        to = d.pop("to")

        _on_start = d.pop("on_start", UNSET)
        on_start: OnStart | Unset
        if isinstance(_on_start, Unset):
            on_start = UNSET
        else:
            on_start = OnStart(_on_start)

        def _parse_time_zone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        time_zone = _parse_time_zone(d.pop("time_zone", UNSET))

        blackout_output = cls(
            from_=from_,
            reason=reason,
            to=to,
            on_start=on_start,
            time_zone=time_zone,
        )

        return blackout_output
