# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Backpressure")


@_attrs_define
class Backpressure:
    """A request to the writers of a table to slow down, or the end of one; it holds for `valid_seconds`."""

    kind: Literal["backpressure"]
    """ Kind of the signal. """
    reason: str
    """ Reason why writers should slow down. """
    slow_down: bool
    """ Whether writers should slow down. """
    valid_seconds: int | Unset = 300
    """ After that it is forgotten. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        reason = self.reason

        slow_down = self.slow_down

        valid_seconds = self.valid_seconds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "reason": reason,
                "slow_down": slow_down,
            }
        )
        if valid_seconds is not UNSET:
            field_dict["valid_seconds"] = valid_seconds

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["backpressure"], d.pop("kind"))
        if kind != "backpressure":
            raise ValueError(f"kind must match const 'backpressure', got '{kind}'")

        reason = d.pop("reason")

        slow_down = d.pop("slow_down")

        valid_seconds = d.pop("valid_seconds", UNSET)

        backpressure = cls(
            kind=kind,
            reason=reason,
            slow_down=slow_down,
            valid_seconds=valid_seconds,
        )

        return backpressure
