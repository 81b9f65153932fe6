# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.operation import Operation
from ..models.priority import Priority
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.all_ import All
    from ..models.any_of import AnyOf
    from ..models.comparison import Comparison
    from ..models.not_ import Not


T = TypeVar("T", bound="RunSubmit")


@_attrs_define
class RunSubmit:
    """A run to start."""

    table_id: str
    """ Id or address of the registered table. """
    dry_run: bool | Unset = False
    """ Return the plan and store nothing. """
    every_file: bool | Unset = False
    """ As `force_full`, including files that would come out unchanged: they are rewritten with the current
    compression, encodings and row groups. """
    force: bool | Unset = False
    """ Start even if an equal run is live; include partitions that cool down after lost races. """
    force_full: bool | Unset = False
    """ Every file of the partitions is a candidate, including files of the right size; a file that would come out
    unchanged is still skipped. """
    operation: Operation | Unset = UNSET
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    partitions: All | AnyOf | Comparison | None | Not | Unset = UNSET
    """ Partitions to take, as a condition on partition columns; null or left out: all. """
    priority: None | Priority | Unset = UNSET
    """ Absent: the priority of the table's policy. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415

        table_id = self.table_id

        dry_run = self.dry_run

        every_file = self.every_file

        force = self.force

        force_full = self.force_full

        operation: str | Unset = UNSET
        if not isinstance(self.operation, Unset):
            operation = self.operation.value

        partitions: dict[str, Any] | None | Unset
        if isinstance(self.partitions, Unset):
            partitions = UNSET
        elif isinstance(self.partitions, Comparison):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, All):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, AnyOf):
            partitions = self.partitions.to_dict()
        elif isinstance(self.partitions, Not):
            partitions = self.partitions.to_dict()
        else:
            partitions = self.partitions

        priority: None | str | Unset
        if isinstance(self.priority, Unset):
            priority = UNSET
        elif isinstance(self.priority, Priority):
            priority = self.priority.value
        else:
            priority = self.priority

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "table_id": table_id,
            }
        )
        if dry_run is not UNSET:
            field_dict["dry_run"] = dry_run
        if every_file is not UNSET:
            field_dict["every_file"] = every_file
        if force is not UNSET:
            field_dict["force"] = force
        if force_full is not UNSET:
            field_dict["force_full"] = force_full
        if operation is not UNSET:
            field_dict["operation"] = operation
        if partitions is not UNSET:
            field_dict["partitions"] = partitions
        if priority is not UNSET:
            field_dict["priority"] = priority

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415

        d = dict(src_dict)
        table_id = d.pop("table_id")

        dry_run = d.pop("dry_run", UNSET)

        every_file = d.pop("every_file", UNSET)

        force = d.pop("force", UNSET)

        force_full = d.pop("force_full", UNSET)

        _operation = d.pop("operation", UNSET)
        operation: Operation | Unset
        if isinstance(_operation, Unset):
            operation = UNSET
        else:
            operation = Operation(_operation)

        def _parse_partitions(data: object) -> All | AnyOf | Comparison | None | Not | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_0 = Comparison.from_dict(data)

                return partitions_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_1 = All.from_dict(data)

                return partitions_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_2 = AnyOf.from_dict(data)

                return partitions_type_0_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partitions_type_0_type_3 = Not.from_dict(data)

                return partitions_type_0_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(All | AnyOf | Comparison | None | Not | Unset, data)

        partitions = _parse_partitions(d.pop("partitions", UNSET))

        def _parse_priority(data: object) -> None | Priority | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                priority_type_0 = Priority(data)

                return priority_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Priority | Unset, data)

        priority = _parse_priority(d.pop("priority", UNSET))

        run_submit = cls(
            table_id=table_id,
            dry_run=dry_run,
            every_file=every_file,
            force=force,
            force_full=force_full,
            operation=operation,
            partitions=partitions,
            priority=priority,
        )

        return run_submit
