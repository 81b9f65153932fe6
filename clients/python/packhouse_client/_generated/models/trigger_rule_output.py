# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.trigger_condition_output import TriggerConditionOutput


T = TypeVar("T", bound="TriggerRuleOutput")


@_attrs_define
class TriggerRuleOutput:
    """A named rule; a partition is due when all conditions hold for it."""

    all_: list[TriggerConditionOutput]
    """ All of them must hold. """
    name: str
    """ Shown where a run says why it began. """
    input_changed: bool | Unset = False
    """ Only if the partition's files are not those that its last rewrite left: no rule fires twice. """

    def to_dict(self) -> dict[str, Any]:
        all_ = []
        for all_item_data in self.all_:
            all_item = all_item_data.to_dict()
            all_.append(all_item)

        name = self.name

        input_changed = self.input_changed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "all": all_,
                "name": name,
            }
        )
        if input_changed is not UNSET:
            field_dict["input_changed"] = input_changed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trigger_condition_output import TriggerConditionOutput  # noqa: PLC0415

        d = dict(src_dict)
        all_ = []
        _all_ = d.pop("all")
        for all_item_data in _all_:
            all_item = TriggerConditionOutput.from_dict(all_item_data)

            all_.append(all_item)

        name = d.pop("name")

        input_changed = d.pop("input_changed", UNSET)

        trigger_rule_output = cls(
            all_=all_,
            name=name,
            input_changed=input_changed,
        )

        return trigger_rule_output
