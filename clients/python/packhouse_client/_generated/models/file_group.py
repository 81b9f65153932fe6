# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.group_state import GroupState

if TYPE_CHECKING:
    from ..models.file_group_measured import FileGroupMeasured


T = TypeVar("T", bound="FileGroup")


@_attrs_define
class FileGroup:
    """Files of one partition that are rewritten together by one task."""

    attempt: int
    """ Number of the attempt, from 1. """
    input_bytes: int
    """ Bytes of the input files. """
    input_files: int
    """ Input files. """
    input_rows: int
    """ Rows of the input files, from metadata. """
    measured: FileGroupMeasured
    """ Figures that the task measured: bytes, requests, seconds. """
    ordinal: int
    """ Position in the plan, from 0. """
    output_bytes: int
    """ Bytes of the output files. """
    output_files: int
    """ Output files. """
    partition: str
    """ The partition as JSON. """
    predicted_outputs: int
    """ Output files that the plan expects. """
    reason: None | str
    """ Reason why it was dropped: a code, or `failed` or `refused` with details. """
    rows_deleted: int
    """ Rows that deletes hid, and that are therefore not in the outputs. """
    snapshot_id: None | str
    """ The snapshot that contains it once it is committed. """
    spec_id: int
    """ Id of the partition spec. """
    state: GroupState
    """ State of a file group. """
    updated_at: datetime.datetime
    """ Time at which its state changed last. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempt = self.attempt

        input_bytes = self.input_bytes

        input_files = self.input_files

        input_rows = self.input_rows

        measured = self.measured.to_dict()

        ordinal = self.ordinal

        output_bytes = self.output_bytes

        output_files = self.output_files

        partition = self.partition

        predicted_outputs = self.predicted_outputs

        reason: None | str
        reason = self.reason

        rows_deleted = self.rows_deleted

        snapshot_id: None | str
        snapshot_id = self.snapshot_id

        spec_id = self.spec_id

        state = self.state.value

        updated_at = self.updated_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempt": attempt,
                "input_bytes": input_bytes,
                "input_files": input_files,
                "input_rows": input_rows,
                "measured": measured,
                "ordinal": ordinal,
                "output_bytes": output_bytes,
                "output_files": output_files,
                "partition": partition,
                "predicted_outputs": predicted_outputs,
                "reason": reason,
                "rows_deleted": rows_deleted,
                "snapshot_id": snapshot_id,
                "spec_id": spec_id,
                "state": state,
                "updated_at": updated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.file_group_measured import FileGroupMeasured  # noqa: PLC0415

        d = dict(src_dict)
        attempt = d.pop("attempt")

        input_bytes = d.pop("input_bytes")

        input_files = d.pop("input_files")

        input_rows = d.pop("input_rows")

        measured = FileGroupMeasured.from_dict(d.pop("measured"))

        ordinal = d.pop("ordinal")

        output_bytes = d.pop("output_bytes")

        output_files = d.pop("output_files")

        partition = d.pop("partition")

        predicted_outputs = d.pop("predicted_outputs")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        rows_deleted = d.pop("rows_deleted")

        def _parse_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        snapshot_id = _parse_snapshot_id(d.pop("snapshot_id"))

        spec_id = d.pop("spec_id")

        state = GroupState(d.pop("state"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        file_group = cls(
            attempt=attempt,
            input_bytes=input_bytes,
            input_files=input_files,
            input_rows=input_rows,
            measured=measured,
            ordinal=ordinal,
            output_bytes=output_bytes,
            output_files=output_files,
            partition=partition,
            predicted_outputs=predicted_outputs,
            reason=reason,
            rows_deleted=rows_deleted,
            snapshot_id=snapshot_id,
            spec_id=spec_id,
            state=state,
            updated_at=updated_at,
        )

        file_group.additional_properties = d
        return file_group

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
