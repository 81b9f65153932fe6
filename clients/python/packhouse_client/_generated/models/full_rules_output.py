# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.full_eligibility import FullEligibility


T = TypeVar("T", bound="FullRulesOutput")


@_attrs_define
class FullRulesOutput:
    """Conditions for rewriting a whole partition."""

    always_below_bytes: int | Literal["off"] | None | Unset = UNSET
    """ Always rewrite partitions smaller than this in full. """
    eligibility: FullEligibility | Literal["off"] | None | Unset = UNSET
    """ Conditions for a full rewrite of a partition without deletes; `off`: none. """
    interval: Literal["off"] | None | str | Unset = UNSET
    """ Time between full rewrites of a partition. """
    size_amplification_percent: int | Literal["off"] | None | Unset = UNSET
    """ Rewrite in full once bytes added since the last full rewrite exceed this share of its output, in percent.
    """
    when_increment_above_bytes: int | Literal["off"] | None | Unset = UNSET
    """ Rewrite in full once more than this was added since the last full rewrite. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.full_eligibility import FullEligibility  # noqa: PLC0415

        always_below_bytes: int | Literal["off"] | None | Unset
        if isinstance(self.always_below_bytes, Unset):
            always_below_bytes = UNSET
        else:
            always_below_bytes = self.always_below_bytes

        eligibility: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.eligibility, Unset):
            eligibility = UNSET
        elif isinstance(self.eligibility, FullEligibility):
            eligibility = self.eligibility.to_dict()
        else:
            eligibility = self.eligibility

        interval: Literal["off"] | None | str | Unset
        if isinstance(self.interval, Unset):
            interval = UNSET
        else:
            interval = self.interval

        size_amplification_percent: int | Literal["off"] | None | Unset
        if isinstance(self.size_amplification_percent, Unset):
            size_amplification_percent = UNSET
        else:
            size_amplification_percent = self.size_amplification_percent

        when_increment_above_bytes: int | Literal["off"] | None | Unset
        if isinstance(self.when_increment_above_bytes, Unset):
            when_increment_above_bytes = UNSET
        else:
            when_increment_above_bytes = self.when_increment_above_bytes

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if always_below_bytes is not UNSET:
            field_dict["always_below_bytes"] = always_below_bytes
        if eligibility is not UNSET:
            field_dict["eligibility"] = eligibility
        if interval is not UNSET:
            field_dict["interval"] = interval
        if size_amplification_percent is not UNSET:
            field_dict["size_amplification_percent"] = size_amplification_percent
        if when_increment_above_bytes is not UNSET:
            field_dict["when_increment_above_bytes"] = when_increment_above_bytes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.full_eligibility import FullEligibility  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_always_below_bytes(data: object) -> int | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                always_below_bytes_type_0 = cast(Literal["off"], data)
                if always_below_bytes_type_0 != "off":
                    raise ValueError(
                        f"always_below_bytes_type_0 must match const 'off', got '{always_below_bytes_type_0}'"
                    )
                return always_below_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | Unset, data)

        always_below_bytes = _parse_always_below_bytes(d.pop("always_below_bytes", UNSET))

        def _parse_eligibility(data: object) -> FullEligibility | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                eligibility_type_0 = cast(Literal["off"], data)
                if eligibility_type_0 != "off":
                    raise ValueError(f"eligibility_type_0 must match const 'off', got '{eligibility_type_0}'")
                return eligibility_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                eligibility_type_1 = FullEligibility.from_dict(data)

                return eligibility_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FullEligibility | Literal["off"] | None | Unset, data)

        eligibility = _parse_eligibility(d.pop("eligibility", UNSET))

        def _parse_interval(data: object) -> Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                interval_type_0 = cast(Literal["off"], data)
                if interval_type_0 != "off":
                    raise ValueError(f"interval_type_0 must match const 'off', got '{interval_type_0}'")
                return interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | str | Unset, data)

        interval = _parse_interval(d.pop("interval", UNSET))

        def _parse_size_amplification_percent(data: object) -> int | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                size_amplification_percent_type_0 = cast(Literal["off"], data)
                if size_amplification_percent_type_0 != "off":
                    raise ValueError(
                        f"size_amplification_percent_type_0 must match const 'off', got '{size_amplification_percent_type_0}'"
                    )
                return size_amplification_percent_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | Unset, data)

        size_amplification_percent = _parse_size_amplification_percent(d.pop("size_amplification_percent", UNSET))

        def _parse_when_increment_above_bytes(data: object) -> int | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                when_increment_above_bytes_type_0 = cast(Literal["off"], data)
                if when_increment_above_bytes_type_0 != "off":
                    raise ValueError(
                        f"when_increment_above_bytes_type_0 must match const 'off', got '{when_increment_above_bytes_type_0}'"
                    )
                return when_increment_above_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | Unset, data)

        when_increment_above_bytes = _parse_when_increment_above_bytes(d.pop("when_increment_above_bytes", UNSET))

        full_rules_output = cls(
            always_below_bytes=always_below_bytes,
            eligibility=eligibility,
            interval=interval,
            size_amplification_percent=size_amplification_percent,
            when_increment_above_bytes=when_increment_above_bytes,
        )

        return full_rules_output
