# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.table_patch_labels_type_0 import TablePatchLabelsType0


T = TypeVar("T", bound="TablePatch")


@_attrs_define
class TablePatch:
    """Changes of a table, as a JSON merge patch: an absent field stays, null removes a value."""

    labels: None | TablePatchLabelsType0 | Unset = UNSET
    """ Labels to set, or to remove by null; null instead of an object removes all labels. """
    owner_team: None | str | Unset = UNSET
    """ Null: the table has no team any more. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.table_patch_labels_type_0 import TablePatchLabelsType0  # noqa: PLC0415

        labels: dict[str, Any] | None | Unset
        if isinstance(self.labels, Unset):
            labels = UNSET
        elif isinstance(self.labels, TablePatchLabelsType0):
            labels = self.labels.to_dict()
        else:
            labels = self.labels

        owner_team: None | str | Unset
        if isinstance(self.owner_team, Unset):
            owner_team = UNSET
        else:
            owner_team = self.owner_team

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if labels is not UNSET:
            field_dict["labels"] = labels
        if owner_team is not UNSET:
            field_dict["owner_team"] = owner_team

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.table_patch_labels_type_0 import TablePatchLabelsType0  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_labels(data: object) -> None | TablePatchLabelsType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                labels_type_0 = TablePatchLabelsType0.from_dict(data)

                return labels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TablePatchLabelsType0 | Unset, data)

        labels = _parse_labels(d.pop("labels", UNSET))

        def _parse_owner_team(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        owner_team = _parse_owner_team(d.pop("owner_team", UNSET))

        table_patch = cls(
            labels=labels,
            owner_team=owner_team,
        )

        return table_patch
