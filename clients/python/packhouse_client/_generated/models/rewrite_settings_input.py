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
    from ..models.delete_rules import DeleteRules


T = TypeVar("T", bound="RewriteSettingsInput")


@_attrs_define
class RewriteSettingsInput:
    """What is rewritten, and into what."""

    compression: None | str | Unset = UNSET
    """ Codec, with a level after a colon where it has levels; absent: the table's property. """
    deletes: DeleteRules | None | Unset = UNSET
    exclude_above_bytes: int | Literal["off"] | None | str | Unset = UNSET
    """ Files above are never touched. """
    large_file_bytes: int | Literal["off"] | None | str | Unset = UNSET
    """ Above it a file is split; `off` leaves it alone. """
    max_group_bytes: int | None | str | Unset = UNSET
    """ Bytes of inputs of one group: the unit of cancel, retry and pacing. """
    min_input_files: int | None | Unset = UNSET
    small_file_bytes: int | None | str | Unset = UNSET
    """ Below it a file is a candidate. """
    strategy: Literal["binpack"] | None | Unset = UNSET
    target_file_bytes: int | None | str | Unset = UNSET
    """ Wanted output size. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.delete_rules import DeleteRules  # noqa: PLC0415

        compression: None | str | Unset
        if isinstance(self.compression, Unset):
            compression = UNSET
        else:
            compression = self.compression

        deletes: dict[str, Any] | None | Unset
        if isinstance(self.deletes, Unset):
            deletes = UNSET
        elif isinstance(self.deletes, DeleteRules):
            deletes = self.deletes.to_dict()
        else:
            deletes = self.deletes

        exclude_above_bytes: int | Literal["off"] | None | str | Unset
        if isinstance(self.exclude_above_bytes, Unset):
            exclude_above_bytes = UNSET
        else:
            exclude_above_bytes = self.exclude_above_bytes

        large_file_bytes: int | Literal["off"] | None | str | Unset
        if isinstance(self.large_file_bytes, Unset):
            large_file_bytes = UNSET
        else:
            large_file_bytes = self.large_file_bytes

        max_group_bytes: int | None | str | Unset
        if isinstance(self.max_group_bytes, Unset):
            max_group_bytes = UNSET
        else:
            max_group_bytes = self.max_group_bytes

        min_input_files: int | None | Unset
        if isinstance(self.min_input_files, Unset):
            min_input_files = UNSET
        else:
            min_input_files = self.min_input_files

        small_file_bytes: int | None | str | Unset
        if isinstance(self.small_file_bytes, Unset):
            small_file_bytes = UNSET
        else:
            small_file_bytes = self.small_file_bytes

        strategy: Literal["binpack"] | None | Unset
        if isinstance(self.strategy, Unset):
            strategy = UNSET
        else:
            strategy = self.strategy

        target_file_bytes: int | None | str | Unset
        if isinstance(self.target_file_bytes, Unset):
            target_file_bytes = UNSET
        else:
            target_file_bytes = self.target_file_bytes

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if compression is not UNSET:
            field_dict["compression"] = compression
        if deletes is not UNSET:
            field_dict["deletes"] = deletes
        if exclude_above_bytes is not UNSET:
            field_dict["exclude_above_bytes"] = exclude_above_bytes
        if large_file_bytes is not UNSET:
            field_dict["large_file_bytes"] = large_file_bytes
        if max_group_bytes is not UNSET:
            field_dict["max_group_bytes"] = max_group_bytes
        if min_input_files is not UNSET:
            field_dict["min_input_files"] = min_input_files
        if small_file_bytes is not UNSET:
            field_dict["small_file_bytes"] = small_file_bytes
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if target_file_bytes is not UNSET:
            field_dict["target_file_bytes"] = target_file_bytes

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.delete_rules import DeleteRules  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_compression(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        compression = _parse_compression(d.pop("compression", UNSET))

        def _parse_deletes(data: object) -> DeleteRules | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                deletes_type_0 = DeleteRules.from_dict(data)

                return deletes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeleteRules | None | Unset, data)

        deletes = _parse_deletes(d.pop("deletes", UNSET))

        def _parse_exclude_above_bytes(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            exclude_above_bytes_type_0 = cast(Literal["off"], data)
            if exclude_above_bytes_type_0 != "off":
                raise ValueError(
                    f"exclude_above_bytes_type_0 must match const 'off', got '{exclude_above_bytes_type_0}'"
                )
            return exclude_above_bytes_type_0
            return cast(int | Literal["off"] | None | str | Unset, data)

        exclude_above_bytes = _parse_exclude_above_bytes(d.pop("exclude_above_bytes", UNSET))

        def _parse_large_file_bytes(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            large_file_bytes_type_0 = cast(Literal["off"], data)
            if large_file_bytes_type_0 != "off":
                raise ValueError(f"large_file_bytes_type_0 must match const 'off', got '{large_file_bytes_type_0}'")
            return large_file_bytes_type_0
            return cast(int | Literal["off"] | None | str | Unset, data)

        large_file_bytes = _parse_large_file_bytes(d.pop("large_file_bytes", UNSET))

        def _parse_max_group_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        max_group_bytes = _parse_max_group_bytes(d.pop("max_group_bytes", UNSET))

        def _parse_min_input_files(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_input_files = _parse_min_input_files(d.pop("min_input_files", UNSET))

        def _parse_small_file_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        small_file_bytes = _parse_small_file_bytes(d.pop("small_file_bytes", UNSET))

        def _parse_strategy(data: object) -> Literal["binpack"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            strategy_type_0 = cast(Literal["binpack"], data)
            if strategy_type_0 != "binpack":
                raise ValueError(f"strategy_type_0 must match const 'binpack', got '{strategy_type_0}'")
            return strategy_type_0
            return cast(Literal["binpack"] | None | Unset, data)

        strategy = _parse_strategy(d.pop("strategy", UNSET))

        def _parse_target_file_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        target_file_bytes = _parse_target_file_bytes(d.pop("target_file_bytes", UNSET))

        rewrite_settings_input = cls(
            compression=compression,
            deletes=deletes,
            exclude_above_bytes=exclude_above_bytes,
            large_file_bytes=large_file_bytes,
            max_group_bytes=max_group_bytes,
            min_input_files=min_input_files,
            small_file_bytes=small_file_bytes,
            strategy=strategy,
            target_file_bytes=target_file_bytes,
        )

        return rewrite_settings_input
