# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.affected_table import AffectedTable
    from ..models.contradiction import Contradiction
    from ..models.due_tables import DueTables
    from ..models.shared_change import SharedChange


T = TypeVar("T", bound="PolicyPreview")


@_attrs_define
class PolicyPreview:
    """Effect that a change of a policy would have. Nothing was written."""

    affected_count: int
    """ Tables for which at least one setting would change its value. """
    affected_tables: list[AffectedTable]
    """ The first hundred. """
    change_count: int
    """ Distinct changes. """
    changes: list[SharedChange]
    """ The hundred changes that affect most tables. """
    contradictions: list[Contradiction]
    """ Contradictions that a deletion would leave; any other change with contradictions is refused. """
    covered_count: int
    """ Tables that the policy covers. """
    dry_run: bool
    """ True: nothing was written. """
    due: DueTables
    """ Tables that would become due, by their last measurements; no table was read. """
    notes: list[str]
    """ Checks that were not made, and settings without effect yet. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        affected_count = self.affected_count

        affected_tables = []
        for affected_tables_item_data in self.affected_tables:
            affected_tables_item = affected_tables_item_data.to_dict()
            affected_tables.append(affected_tables_item)

        change_count = self.change_count

        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)

        contradictions = []
        for contradictions_item_data in self.contradictions:
            contradictions_item = contradictions_item_data.to_dict()
            contradictions.append(contradictions_item)

        covered_count = self.covered_count

        dry_run = self.dry_run

        due = self.due.to_dict()

        notes = self.notes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "affected_count": affected_count,
                "affected_tables": affected_tables,
                "change_count": change_count,
                "changes": changes,
                "contradictions": contradictions,
                "covered_count": covered_count,
                "dry_run": dry_run,
                "due": due,
                "notes": notes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.affected_table import AffectedTable  # noqa: PLC0415
        from ..models.contradiction import Contradiction  # noqa: PLC0415
        from ..models.due_tables import DueTables  # noqa: PLC0415
        from ..models.shared_change import SharedChange  # noqa: PLC0415

        d = dict(src_dict)
        affected_count = d.pop("affected_count")

        affected_tables = []
        _affected_tables = d.pop("affected_tables")
        for affected_tables_item_data in _affected_tables:
            affected_tables_item = AffectedTable.from_dict(affected_tables_item_data)

            affected_tables.append(affected_tables_item)

        change_count = d.pop("change_count")

        changes = []
        _changes = d.pop("changes")
        for changes_item_data in _changes:
            changes_item = SharedChange.from_dict(changes_item_data)

            changes.append(changes_item)

        contradictions = []
        _contradictions = d.pop("contradictions")
        for contradictions_item_data in _contradictions:
            contradictions_item = Contradiction.from_dict(contradictions_item_data)

            contradictions.append(contradictions_item)

        covered_count = d.pop("covered_count")

        dry_run = d.pop("dry_run")

        due = DueTables.from_dict(d.pop("due"))

        notes = cast(list[str], d.pop("notes"))

        policy_preview = cls(
            affected_count=affected_count,
            affected_tables=affected_tables,
            change_count=change_count,
            changes=changes,
            contradictions=contradictions,
            covered_count=covered_count,
            dry_run=dry_run,
            due=due,
            notes=notes,
        )

        policy_preview.additional_properties = d
        return policy_preview

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
