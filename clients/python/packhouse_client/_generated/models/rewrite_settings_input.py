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

from ..models.rewrite_settings_input_engine_type_0 import (
    RewriteSettingsInputEngineType0,
)
from ..models.rewrite_settings_input_order_bins_by_type_0 import (
    RewriteSettingsInputOrderBinsByType0,
)
from ..models.strategy import Strategy
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.delete_rules import DeleteRules
    from ..models.full_rules_input import FullRulesInput
    from ..models.key_table_rules import KeyTableRules
    from ..models.order_column import OrderColumn
    from ..models.tier_input import TierInput


T = TypeVar("T", bound="RewriteSettingsInput")


@_attrs_define
class RewriteSettingsInput:
    """Which files are rewritten, and how their replacements are written."""

    columns: list[OrderColumn | str] | None | Unset = UNSET
    """ Columns that `sort`, `zorder` and `hilbert` order by: names, or objects with direction and nulls. """
    compression: None | str | Unset = UNSET
    """ Codec, with a level after a colon where it has levels; absent: the table's property. """
    deletes: DeleteRules | None | Unset = UNSET
    """ Candidates by their deletes, and delete files. """
    engine: None | RewriteSettingsInputEngineType0 | Unset = UNSET
    """ `arrow`: Packhouse's own kernel; `native`: the table format's procedure; `auto` chooses. """
    exclude_above_bytes: int | Literal["off"] | None | str | Unset = UNSET
    """ Large-file isolation: files above this size are never rewritten. """
    full: FullRulesInput | None | Unset = UNSET
    """ Conditions for rewriting a whole partition. """
    key_tables: KeyTableRules | None | Unset = UNSET
    """ Tables with a primary key. """
    large_file_bytes: int | Literal["off"] | None | str | Unset = UNSET
    """ Files above this size are split: a size, or a share of the target; `off`: never. """
    max_group_bytes: int | None | str | Unset = UNSET
    """ Largest input of one file group, the unit of cancel, retry and pacing; at least the target size. """
    max_ordered_bytes: int | None | str | Unset = UNSET
    """ The same for `sort`, `zorder` and `hilbert`: the most of a partition that is put into one order. """
    max_time_span: Literal["off"] | None | str | Unset = UNSET
    """ Length of time spans; files of different spans are not merged. """
    min_input_files: int | None | Unset = UNSET
    """ Minimum number of candidates in a partition; rules on deletes, large files and row groups apply to fewer as
    well. """
    order_bins_by: None | RewriteSettingsInputOrderBinsByType0 | Unset = UNSET
    """ `locality` keeps neighbours together, `fill` packs tightest, `arrival` keeps commits' order. """
    small_file_bytes: int | None | str | Unset = UNSET
    """ Files below this size are candidates: a size, or a share of the target. """
    small_row_group_bytes: int | Literal["off"] | None | str | Unset = UNSET
    """ A file of 8 or more row groups that are smaller than this on average is a candidate regardless of its size;
    `off`: row groups make no file a candidate. """
    strategy: None | Strategy | Unset = UNSET
    """ Arrangement of the rows and files. """
    target_file_bytes: int | None | str | Unset = UNSET
    """ Size of output files. """
    tiers: list[TierInput] | None | Unset = UNSET
    """ For `tiered`: classes of sizes, from small to large. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.delete_rules import DeleteRules  # noqa: PLC0415
        from ..models.full_rules_input import FullRulesInput  # noqa: PLC0415
        from ..models.key_table_rules import KeyTableRules  # noqa: PLC0415
        from ..models.order_column import OrderColumn  # noqa: PLC0415

        columns: list[dict[str, Any] | str] | None | Unset
        if isinstance(self.columns, Unset):
            columns = UNSET
        elif isinstance(self.columns, list):
            columns = []
            for columns_type_0_item_data in self.columns:
                columns_type_0_item: dict[str, Any] | str
                if isinstance(columns_type_0_item_data, OrderColumn):
                    columns_type_0_item = columns_type_0_item_data.to_dict()
                else:
                    columns_type_0_item = columns_type_0_item_data
                columns.append(columns_type_0_item)

        else:
            columns = self.columns

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

        engine: None | str | Unset
        if isinstance(self.engine, Unset):
            engine = UNSET
        elif isinstance(self.engine, RewriteSettingsInputEngineType0):
            engine = self.engine.value
        else:
            engine = self.engine

        exclude_above_bytes: int | Literal["off"] | None | str | Unset
        if isinstance(self.exclude_above_bytes, Unset):
            exclude_above_bytes = UNSET
        else:
            exclude_above_bytes = self.exclude_above_bytes

        full: dict[str, Any] | None | Unset
        if isinstance(self.full, Unset):
            full = UNSET
        elif isinstance(self.full, FullRulesInput):
            full = self.full.to_dict()
        else:
            full = self.full

        key_tables: dict[str, Any] | None | Unset
        if isinstance(self.key_tables, Unset):
            key_tables = UNSET
        elif isinstance(self.key_tables, KeyTableRules):
            key_tables = self.key_tables.to_dict()
        else:
            key_tables = self.key_tables

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

        max_ordered_bytes: int | None | str | Unset
        if isinstance(self.max_ordered_bytes, Unset):
            max_ordered_bytes = UNSET
        else:
            max_ordered_bytes = self.max_ordered_bytes

        max_time_span: Literal["off"] | None | str | Unset
        if isinstance(self.max_time_span, Unset):
            max_time_span = UNSET
        else:
            max_time_span = self.max_time_span

        min_input_files: int | None | Unset
        if isinstance(self.min_input_files, Unset):
            min_input_files = UNSET
        else:
            min_input_files = self.min_input_files

        order_bins_by: None | str | Unset
        if isinstance(self.order_bins_by, Unset):
            order_bins_by = UNSET
        elif isinstance(self.order_bins_by, RewriteSettingsInputOrderBinsByType0):
            order_bins_by = self.order_bins_by.value
        else:
            order_bins_by = self.order_bins_by

        small_file_bytes: int | None | str | Unset
        if isinstance(self.small_file_bytes, Unset):
            small_file_bytes = UNSET
        else:
            small_file_bytes = self.small_file_bytes

        small_row_group_bytes: int | Literal["off"] | None | str | Unset
        if isinstance(self.small_row_group_bytes, Unset):
            small_row_group_bytes = UNSET
        else:
            small_row_group_bytes = self.small_row_group_bytes

        strategy: None | str | Unset
        if isinstance(self.strategy, Unset):
            strategy = UNSET
        elif isinstance(self.strategy, Strategy):
            strategy = self.strategy.value
        else:
            strategy = self.strategy

        target_file_bytes: int | None | str | Unset
        if isinstance(self.target_file_bytes, Unset):
            target_file_bytes = UNSET
        else:
            target_file_bytes = self.target_file_bytes

        tiers: list[dict[str, Any]] | None | Unset
        if isinstance(self.tiers, Unset):
            tiers = UNSET
        elif isinstance(self.tiers, list):
            tiers = []
            for tiers_type_0_item_data in self.tiers:
                tiers_type_0_item = tiers_type_0_item_data.to_dict()
                tiers.append(tiers_type_0_item)

        else:
            tiers = self.tiers

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if columns is not UNSET:
            field_dict["columns"] = columns
        if compression is not UNSET:
            field_dict["compression"] = compression
        if deletes is not UNSET:
            field_dict["deletes"] = deletes
        if engine is not UNSET:
            field_dict["engine"] = engine
        if exclude_above_bytes is not UNSET:
            field_dict["exclude_above_bytes"] = exclude_above_bytes
        if full is not UNSET:
            field_dict["full"] = full
        if key_tables is not UNSET:
            field_dict["key_tables"] = key_tables
        if large_file_bytes is not UNSET:
            field_dict["large_file_bytes"] = large_file_bytes
        if max_group_bytes is not UNSET:
            field_dict["max_group_bytes"] = max_group_bytes
        if max_ordered_bytes is not UNSET:
            field_dict["max_ordered_bytes"] = max_ordered_bytes
        if max_time_span is not UNSET:
            field_dict["max_time_span"] = max_time_span
        if min_input_files is not UNSET:
            field_dict["min_input_files"] = min_input_files
        if order_bins_by is not UNSET:
            field_dict["order_bins_by"] = order_bins_by
        if small_file_bytes is not UNSET:
            field_dict["small_file_bytes"] = small_file_bytes
        if small_row_group_bytes is not UNSET:
            field_dict["small_row_group_bytes"] = small_row_group_bytes
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if target_file_bytes is not UNSET:
            field_dict["target_file_bytes"] = target_file_bytes
        if tiers is not UNSET:
            field_dict["tiers"] = tiers

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.delete_rules import DeleteRules  # noqa: PLC0415
        from ..models.full_rules_input import FullRulesInput  # noqa: PLC0415
        from ..models.key_table_rules import KeyTableRules  # noqa: PLC0415
        from ..models.order_column import OrderColumn  # noqa: PLC0415
        from ..models.tier_input import TierInput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_columns(data: object) -> list[OrderColumn | str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                columns_type_0 = []
                _columns_type_0 = data
                for columns_type_0_item_data in _columns_type_0:

                    def _parse_columns_type_0_item(data: object) -> OrderColumn | str:
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            columns_type_0_item_type_1 = OrderColumn.from_dict(data)

                            return columns_type_0_item_type_1
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        return cast(OrderColumn | str, data)

                    columns_type_0_item = _parse_columns_type_0_item(columns_type_0_item_data)

                    columns_type_0.append(columns_type_0_item)

                return columns_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[OrderColumn | str] | None | Unset, data)

        columns = _parse_columns(d.pop("columns", UNSET))

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

        def _parse_engine(data: object) -> None | RewriteSettingsInputEngineType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                engine_type_0 = RewriteSettingsInputEngineType0(data)

                return engine_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RewriteSettingsInputEngineType0 | Unset, data)

        engine = _parse_engine(d.pop("engine", UNSET))

        def _parse_exclude_above_bytes(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                exclude_above_bytes_type_0 = cast(Literal["off"], data)
                if exclude_above_bytes_type_0 != "off":
                    raise ValueError(
                        f"exclude_above_bytes_type_0 must match const 'off', got '{exclude_above_bytes_type_0}'"
                    )
                return exclude_above_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | str | Unset, data)

        exclude_above_bytes = _parse_exclude_above_bytes(d.pop("exclude_above_bytes", UNSET))

        def _parse_full(data: object) -> FullRulesInput | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                full_type_0 = FullRulesInput.from_dict(data)

                return full_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FullRulesInput | None | Unset, data)

        full = _parse_full(d.pop("full", UNSET))

        def _parse_key_tables(data: object) -> KeyTableRules | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                key_tables_type_0 = KeyTableRules.from_dict(data)

                return key_tables_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(KeyTableRules | None | Unset, data)

        key_tables = _parse_key_tables(d.pop("key_tables", UNSET))

        def _parse_large_file_bytes(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                large_file_bytes_type_0 = cast(Literal["off"], data)
                if large_file_bytes_type_0 != "off":
                    raise ValueError(f"large_file_bytes_type_0 must match const 'off', got '{large_file_bytes_type_0}'")
                return large_file_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | str | Unset, data)

        large_file_bytes = _parse_large_file_bytes(d.pop("large_file_bytes", UNSET))

        def _parse_max_group_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        max_group_bytes = _parse_max_group_bytes(d.pop("max_group_bytes", UNSET))

        def _parse_max_ordered_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        max_ordered_bytes = _parse_max_ordered_bytes(d.pop("max_ordered_bytes", UNSET))

        def _parse_max_time_span(data: object) -> Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                max_time_span_type_0 = cast(Literal["off"], data)
                if max_time_span_type_0 != "off":
                    raise ValueError(f"max_time_span_type_0 must match const 'off', got '{max_time_span_type_0}'")
                return max_time_span_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | str | Unset, data)

        max_time_span = _parse_max_time_span(d.pop("max_time_span", UNSET))

        def _parse_min_input_files(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        min_input_files = _parse_min_input_files(d.pop("min_input_files", UNSET))

        def _parse_order_bins_by(data: object) -> None | RewriteSettingsInputOrderBinsByType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                order_bins_by_type_0 = RewriteSettingsInputOrderBinsByType0(data)

                return order_bins_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RewriteSettingsInputOrderBinsByType0 | Unset, data)

        order_bins_by = _parse_order_bins_by(d.pop("order_bins_by", UNSET))

        def _parse_small_file_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        small_file_bytes = _parse_small_file_bytes(d.pop("small_file_bytes", UNSET))

        def _parse_small_row_group_bytes(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                small_row_group_bytes_type_0 = cast(Literal["off"], data)
                if small_row_group_bytes_type_0 != "off":
                    raise ValueError(
                        f"small_row_group_bytes_type_0 must match const 'off', got '{small_row_group_bytes_type_0}'"
                    )
                return small_row_group_bytes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | str | Unset, data)

        small_row_group_bytes = _parse_small_row_group_bytes(d.pop("small_row_group_bytes", UNSET))

        def _parse_strategy(data: object) -> None | Strategy | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                strategy_type_0 = Strategy(data)

                return strategy_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Strategy | Unset, data)

        strategy = _parse_strategy(d.pop("strategy", UNSET))

        def _parse_target_file_bytes(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        target_file_bytes = _parse_target_file_bytes(d.pop("target_file_bytes", UNSET))

        def _parse_tiers(data: object) -> list[TierInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tiers_type_0 = []
                _tiers_type_0 = data
                for tiers_type_0_item_data in _tiers_type_0:
                    tiers_type_0_item = TierInput.from_dict(tiers_type_0_item_data)

                    tiers_type_0.append(tiers_type_0_item)

                return tiers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TierInput] | None | Unset, data)

        tiers = _parse_tiers(d.pop("tiers", UNSET))

        rewrite_settings_input = cls(
            columns=columns,
            compression=compression,
            deletes=deletes,
            engine=engine,
            exclude_above_bytes=exclude_above_bytes,
            full=full,
            key_tables=key_tables,
            large_file_bytes=large_file_bytes,
            max_group_bytes=max_group_bytes,
            max_ordered_bytes=max_ordered_bytes,
            max_time_span=max_time_span,
            min_input_files=min_input_files,
            order_bins_by=order_bins_by,
            small_file_bytes=small_file_bytes,
            small_row_group_bytes=small_row_group_bytes,
            strategy=strategy,
            target_file_bytes=target_file_bytes,
            tiers=tiers,
        )

        return rewrite_settings_input
