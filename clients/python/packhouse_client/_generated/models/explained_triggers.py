# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.explained_rule import ExplainedRule
    from ..models.explained_seal import ExplainedSeal
    from ..models.never_due import NeverDue


T = TypeVar("T", bound="ExplainedTriggers")


@_attrs_define
class ExplainedTriggers:
    """Every rule, judged now; any of them makes the table due."""

    advice: list[str]
    """ Advice if a tenth of the data files or more would never be due; otherwise empty. """
    never_due: NeverDue
    """ Avoidable files that a rewrite would merge and that no rule makes due unless more files are written. """
    rules: list[ExplainedRule]
    """ The rules of the policy. """
    seal: ExplainedSeal
    """ Partitions by the policy's `seal`. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        advice = self.advice

        never_due = self.never_due.to_dict()

        rules = []
        for rules_item_data in self.rules:
            rules_item = rules_item_data.to_dict()
            rules.append(rules_item)

        seal = self.seal.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "advice": advice,
                "never_due": never_due,
                "rules": rules,
                "seal": seal,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explained_rule import ExplainedRule  # noqa: PLC0415
        from ..models.explained_seal import ExplainedSeal  # noqa: PLC0415
        from ..models.never_due import NeverDue  # noqa: PLC0415

        d = dict(src_dict)
        advice = cast(list[str], d.pop("advice"))

        never_due = NeverDue.from_dict(d.pop("never_due"))

        rules = []
        _rules = d.pop("rules")
        for rules_item_data in _rules:
            rules_item = ExplainedRule.from_dict(rules_item_data)

            rules.append(rules_item)

        seal = ExplainedSeal.from_dict(d.pop("seal"))

        explained_triggers = cls(
            advice=advice,
            never_due=never_due,
            rules=rules,
            seal=seal,
        )

        explained_triggers.additional_properties = d
        return explained_triggers

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
