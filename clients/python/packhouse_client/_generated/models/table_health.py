# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.due_state import DueState
    from ..models.freeze import Freeze
    from ..models.order_health import OrderHealth
    from ..models.partition_health import PartitionHealth
    from ..models.size_class import SizeClass
    from ..models.table_health_score_parts import TableHealthScoreParts
    from ..models.table_health_table import TableHealthTable


T = TypeVar("T", bound="TableHealth")


@_attrs_define
class TableHealth:
    """The present data files of a table, and a score from 0 to 100 (nothing to better)."""

    average_file_bytes: int
    """ Mean size of a live data file, in bytes. """
    avoidable_bytes: int
    """ Small files of partitions with avoidable ones: what merging would read. """
    avoidable_file_count: int
    """ Small files but for one in each partition. """
    deleted_rows: int
    """ Upper bound. """
    due: DueState
    """ Judgment of the policy's rules on the table now, with reasons. """
    file_count: int
    """ Live data files. """
    files_with_deletes: int
    """ Live data files that deletes apply to. """
    files_with_equality_deletes: int
    """ Live data files that equality deletes apply to. """
    freeze: Freeze | None
    """ Null unless a failed proof froze the table. """
    large_file_bytes: int | None
    """ A file above is over-large: the policy's. """
    large_file_count: int
    """ Live data files above `large_file_bytes`. """
    measured_at: datetime.datetime
    """ Time of the measurement. """
    order: None | OrderHealth
    """ Null where the policy orders rows by no columns. """
    outside_file_count: int
    """ Files that no run opens: they, or deletes that apply to them, are outside of the table's location, which its
    catalog refuses (`outside_files`). Their partitions are left alone. """
    partition_count: int
    """ Partitions with live data files. """
    record_count: int
    """ Rows of live data files, from metadata, deleted ones included. """
    score: int
    """ Health score from 0 to 100; 100: nothing to improve. """
    score_parts: TableHealthScoreParts
    """ Points that were subtracted from 100, by cause. """
    size_classes: list[SizeClass]
    """ Live data files by size. """
    small_file_bytes: int
    """ A file below is small: the policy's. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    small_file_share: float
    """ Small files among the live data files, from 0 to 1. """
    small_row_group_bytes: int | None
    """ Row groups below are small, in files of 8 or more: the policy's. """
    small_row_group_file_count: int
    """ Files of small row groups, as far as the table says how many files have; Packhouse's own left out. """
    snapshot_id: None | str
    """ Snapshot that it refers to; null: none. """
    table: TableHealthTable
    """ Format, version, snapshots, manifests, columns. """
    table_id: str
    """ Id of the registered table. """
    total_bytes: int
    """ Bytes of live data files. """
    worst_partitions: list[PartitionHealth]
    """ Partitions with the most to improve, worst first. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.freeze import Freeze  # noqa: PLC0415
        from ..models.order_health import OrderHealth  # noqa: PLC0415

        average_file_bytes = self.average_file_bytes

        avoidable_bytes = self.avoidable_bytes

        avoidable_file_count = self.avoidable_file_count

        deleted_rows = self.deleted_rows

        due = self.due.to_dict()

        file_count = self.file_count

        files_with_deletes = self.files_with_deletes

        files_with_equality_deletes = self.files_with_equality_deletes

        freeze: dict[str, Any] | None
        if isinstance(self.freeze, Freeze):
            freeze = self.freeze.to_dict()
        else:
            freeze = self.freeze

        large_file_bytes: int | None
        large_file_bytes = self.large_file_bytes

        large_file_count = self.large_file_count

        measured_at = self.measured_at.isoformat()

        order: dict[str, Any] | None
        if isinstance(self.order, OrderHealth):
            order = self.order.to_dict()
        else:
            order = self.order

        outside_file_count = self.outside_file_count

        partition_count = self.partition_count

        record_count = self.record_count

        score = self.score

        score_parts = self.score_parts.to_dict()

        size_classes = []
        for size_classes_item_data in self.size_classes:
            size_classes_item = size_classes_item_data.to_dict()
            size_classes.append(size_classes_item)

        small_file_bytes = self.small_file_bytes

        small_file_count = self.small_file_count

        small_file_share = self.small_file_share

        small_row_group_bytes: int | None
        small_row_group_bytes = self.small_row_group_bytes

        small_row_group_file_count = self.small_row_group_file_count

        snapshot_id: None | str
        snapshot_id = self.snapshot_id

        table = self.table.to_dict()

        table_id = self.table_id

        total_bytes = self.total_bytes

        worst_partitions = []
        for worst_partitions_item_data in self.worst_partitions:
            worst_partitions_item = worst_partitions_item_data.to_dict()
            worst_partitions.append(worst_partitions_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "average_file_bytes": average_file_bytes,
                "avoidable_bytes": avoidable_bytes,
                "avoidable_file_count": avoidable_file_count,
                "deleted_rows": deleted_rows,
                "due": due,
                "file_count": file_count,
                "files_with_deletes": files_with_deletes,
                "files_with_equality_deletes": files_with_equality_deletes,
                "freeze": freeze,
                "large_file_bytes": large_file_bytes,
                "large_file_count": large_file_count,
                "measured_at": measured_at,
                "order": order,
                "outside_file_count": outside_file_count,
                "partition_count": partition_count,
                "record_count": record_count,
                "score": score,
                "score_parts": score_parts,
                "size_classes": size_classes,
                "small_file_bytes": small_file_bytes,
                "small_file_count": small_file_count,
                "small_file_share": small_file_share,
                "small_row_group_bytes": small_row_group_bytes,
                "small_row_group_file_count": small_row_group_file_count,
                "snapshot_id": snapshot_id,
                "table": table,
                "table_id": table_id,
                "total_bytes": total_bytes,
                "worst_partitions": worst_partitions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.due_state import DueState  # noqa: PLC0415
        from ..models.freeze import Freeze  # noqa: PLC0415
        from ..models.order_health import OrderHealth  # noqa: PLC0415
        from ..models.partition_health import PartitionHealth  # noqa: PLC0415
        from ..models.size_class import SizeClass  # noqa: PLC0415
        from ..models.table_health_score_parts import TableHealthScoreParts  # noqa: PLC0415
        from ..models.table_health_table import TableHealthTable  # noqa: PLC0415

        d = dict(src_dict)
        average_file_bytes = d.pop("average_file_bytes")

        avoidable_bytes = d.pop("avoidable_bytes")

        avoidable_file_count = d.pop("avoidable_file_count")

        deleted_rows = d.pop("deleted_rows")

        due = DueState.from_dict(d.pop("due"))

        file_count = d.pop("file_count")

        files_with_deletes = d.pop("files_with_deletes")

        files_with_equality_deletes = d.pop("files_with_equality_deletes")

        def _parse_freeze(data: object) -> Freeze | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                freeze_type_0 = Freeze.from_dict(data)

                return freeze_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Freeze | None, data)

        freeze = _parse_freeze(d.pop("freeze"))

        def _parse_large_file_bytes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        large_file_bytes = _parse_large_file_bytes(d.pop("large_file_bytes"))

        large_file_count = d.pop("large_file_count")

        measured_at = datetime.datetime.fromisoformat(d.pop("measured_at"))

        def _parse_order(data: object) -> None | OrderHealth:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                order_type_0 = OrderHealth.from_dict(data)

                return order_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OrderHealth, data)

        order = _parse_order(d.pop("order"))

        outside_file_count = d.pop("outside_file_count")

        partition_count = d.pop("partition_count")

        record_count = d.pop("record_count")

        score = d.pop("score")

        score_parts = TableHealthScoreParts.from_dict(d.pop("score_parts"))

        size_classes = []
        _size_classes = d.pop("size_classes")
        for size_classes_item_data in _size_classes:
            size_classes_item = SizeClass.from_dict(size_classes_item_data)

            size_classes.append(size_classes_item)

        small_file_bytes = d.pop("small_file_bytes")

        small_file_count = d.pop("small_file_count")

        small_file_share = d.pop("small_file_share")

        def _parse_small_row_group_bytes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        small_row_group_bytes = _parse_small_row_group_bytes(d.pop("small_row_group_bytes"))

        small_row_group_file_count = d.pop("small_row_group_file_count")

        def _parse_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        snapshot_id = _parse_snapshot_id(d.pop("snapshot_id"))

        table = TableHealthTable.from_dict(d.pop("table"))

        table_id = d.pop("table_id")

        total_bytes = d.pop("total_bytes")

        worst_partitions = []
        _worst_partitions = d.pop("worst_partitions")
        for worst_partitions_item_data in _worst_partitions:
            worst_partitions_item = PartitionHealth.from_dict(worst_partitions_item_data)

            worst_partitions.append(worst_partitions_item)

        table_health = cls(
            average_file_bytes=average_file_bytes,
            avoidable_bytes=avoidable_bytes,
            avoidable_file_count=avoidable_file_count,
            deleted_rows=deleted_rows,
            due=due,
            file_count=file_count,
            files_with_deletes=files_with_deletes,
            files_with_equality_deletes=files_with_equality_deletes,
            freeze=freeze,
            large_file_bytes=large_file_bytes,
            large_file_count=large_file_count,
            measured_at=measured_at,
            order=order,
            outside_file_count=outside_file_count,
            partition_count=partition_count,
            record_count=record_count,
            score=score,
            score_parts=score_parts,
            size_classes=size_classes,
            small_file_bytes=small_file_bytes,
            small_file_count=small_file_count,
            small_file_share=small_file_share,
            small_row_group_bytes=small_row_group_bytes,
            small_row_group_file_count=small_row_group_file_count,
            snapshot_id=snapshot_id,
            table=table,
            table_id=table_id,
            total_bytes=total_bytes,
            worst_partitions=worst_partitions,
        )

        table_health.additional_properties = d
        return table_health

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
