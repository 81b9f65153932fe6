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

T = TypeVar("T", bound="Backoff")


@_attrs_define
class Backoff:
    """Slow down, then pause, while queries are slow."""

    pause_above: str
    """ Above this latency running work is interrupted and nothing new starts. """
    resume_below: str
    """ Below this latency rewrites return to full speed. """
    signal: Literal["query_latency_p95"]
    """ The latency that is compared: query latency from signals, 95th percentile. """
    throttle_above: str
    """ Above this latency the budget is multiplied by `factor`. """
    factor: float | Unset = 0.5
    """ Factor by which the budget is multiplied. """

    def to_dict(self) -> dict[str, Any]:
        pause_above = self.pause_above

        resume_below = self.resume_below

        signal = self.signal

        throttle_above = self.throttle_above

        factor = self.factor

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "pause_above": pause_above,
                "resume_below": resume_below,
                "signal": signal,
                "throttle_above": throttle_above,
            }
        )
        if factor is not UNSET:
            field_dict["factor"] = factor

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pause_above = d.pop("pause_above")

        resume_below = d.pop("resume_below")

        signal = cast(Literal["query_latency_p95"], d.pop("signal"))
        if signal != "query_latency_p95":
            raise ValueError(f"signal must match const 'query_latency_p95', got '{signal}'")

        throttle_above = d.pop("throttle_above")

        factor = d.pop("factor", UNSET)

        backoff = cls(
            pause_above=pause_above,
            resume_below=resume_below,
            signal=signal,
            throttle_above=throttle_above,
            factor=factor,
        )

        return backoff
