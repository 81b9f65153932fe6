# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..models.operation import Operation
from ..types import UNSET, Unset

T = TypeVar("T", bound="RunSubmit")


@_attrs_define
class RunSubmit:
    """A run to start."""

    table_id: str
    """ The registered table's id, `tbl_…`; find it with GET /v1/tables. """
    operation: Operation | Unset = UNSET
    """ What a run does to its table. The capability matrix says which of them a table format can do. """

    def to_dict(self) -> dict[str, Any]:
        table_id = self.table_id

        operation: str | Unset = UNSET
        if not isinstance(self.operation, Unset):
            operation = self.operation.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "table_id": table_id,
            }
        )
        if operation is not UNSET:
            field_dict["operation"] = operation

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        table_id = d.pop("table_id")

        _operation = d.pop("operation", UNSET)
        operation: Operation | Unset
        if isinstance(_operation, Unset):
            operation = UNSET
        else:
            operation = Operation(_operation)

        run_submit = cls(
            table_id=table_id,
            operation=operation,
        )

        return run_submit
