# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.explained_rule_kind import ExplainedRuleKind

if TYPE_CHECKING:
    from ..models.explained_condition import ExplainedCondition
    from ..models.explained_partition import ExplainedPartition
    from ..models.explained_rule_held_back import ExplainedRuleHeldBack


T = TypeVar("T", bound="ExplainedRule")


@_attrs_define
class ExplainedRule:
    """One rule of the policy. `partition`: the busiest due partition, otherwise the one nearest to being due."""

    conditions: list[ExplainedCondition]
    """ Conditions that were checked. """
    due: bool
    """ Whether the rule makes the table or a partition due. """
    due_partitions: list[ExplainedPartition]
    """ The first twenty, most small files first. """
    due_partitions_total: int
    """ Partitions that the rule makes due. """
    held_back: ExplainedRuleHeldBack
    """ Partitions for which it holds, by what keeps them from being due. """
    kind: ExplainedRuleKind
    """ `full`: a setting of `rewrite.full`. """
    name: str
    """ Name of the rule. """
    partition: ExplainedPartition | None
    """ Null for a rule on the table as a whole. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.explained_partition import ExplainedPartition  # noqa: PLC0415

        conditions = []
        for conditions_item_data in self.conditions:
            conditions_item = conditions_item_data.to_dict()
            conditions.append(conditions_item)

        due = self.due

        due_partitions = []
        for due_partitions_item_data in self.due_partitions:
            due_partitions_item = due_partitions_item_data.to_dict()
            due_partitions.append(due_partitions_item)

        due_partitions_total = self.due_partitions_total

        held_back = self.held_back.to_dict()

        kind = self.kind.value

        name = self.name

        partition: dict[str, Any] | None
        if isinstance(self.partition, ExplainedPartition):
            partition = self.partition.to_dict()
        else:
            partition = self.partition

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conditions": conditions,
                "due": due,
                "due_partitions": due_partitions,
                "due_partitions_total": due_partitions_total,
                "held_back": held_back,
                "kind": kind,
                "name": name,
                "partition": partition,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explained_condition import ExplainedCondition  # noqa: PLC0415
        from ..models.explained_partition import ExplainedPartition  # noqa: PLC0415
        from ..models.explained_rule_held_back import ExplainedRuleHeldBack  # noqa: PLC0415

        d = dict(src_dict)
        conditions = []
        _conditions = d.pop("conditions")
        for conditions_item_data in _conditions:
            conditions_item = ExplainedCondition.from_dict(conditions_item_data)

            conditions.append(conditions_item)

        due = d.pop("due")

        due_partitions = []
        _due_partitions = d.pop("due_partitions")
        for due_partitions_item_data in _due_partitions:
            due_partitions_item = ExplainedPartition.from_dict(due_partitions_item_data)

            due_partitions.append(due_partitions_item)

        due_partitions_total = d.pop("due_partitions_total")

        held_back = ExplainedRuleHeldBack.from_dict(d.pop("held_back"))

        kind = ExplainedRuleKind(d.pop("kind"))

        name = d.pop("name")

        def _parse_partition(data: object) -> ExplainedPartition | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                partition_type_0 = ExplainedPartition.from_dict(data)

                return partition_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExplainedPartition | None, data)

        partition = _parse_partition(d.pop("partition"))

        explained_rule = cls(
            conditions=conditions,
            due=due,
            due_partitions=due_partitions,
            due_partitions_total=due_partitions_total,
            held_back=held_back,
            kind=kind,
            name=name,
            partition=partition,
        )

        explained_rule.additional_properties = d
        return explained_rule

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
