# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.trigger_condition_input import TriggerConditionInput
    from ..models.trigger_group_input import TriggerGroupInput


T = TypeVar("T", bound="TriggerRuleInput")


@_attrs_define
class TriggerRuleInput:
    """A named rule; a partition is due when its conditions hold, joined by exactly one of `all`, `any` and `not`."""

    name: str
    """ Name of the rule; runs show which rule started them. """
    all_: list[TriggerConditionInput | TriggerGroupInput] | None | Unset = UNSET
    """ All of these conditions must hold. """
    any_: list[TriggerConditionInput | TriggerGroupInput] | None | Unset = UNSET
    """ At least one of these conditions must hold. """
    input_changed: bool | Unset = False
    """ Only if the partition's files are not those that its last rewrite left: no rule fires twice. """
    not_: None | TriggerConditionInput | TriggerGroupInput | Unset = UNSET
    """ This condition must not hold. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.trigger_condition_input import TriggerConditionInput  # noqa: PLC0415
        from ..models.trigger_group_input import TriggerGroupInput  # noqa: PLC0415

        name = self.name

        all_: list[dict[str, Any]] | None | Unset
        if isinstance(self.all_, Unset):
            all_ = UNSET
        elif isinstance(self.all_, list):
            all_ = []
            for all_type_0_item_data in self.all_:
                all_type_0_item: dict[str, Any]
                if isinstance(all_type_0_item_data, TriggerConditionInput):
                    all_type_0_item = all_type_0_item_data.to_dict()
                else:
                    all_type_0_item = all_type_0_item_data.to_dict()

                all_.append(all_type_0_item)

        else:
            all_ = self.all_

        any_: list[dict[str, Any]] | None | Unset
        if isinstance(self.any_, Unset):
            any_ = UNSET
        elif isinstance(self.any_, list):
            any_ = []
            for any_type_0_item_data in self.any_:
                any_type_0_item: dict[str, Any]
                if isinstance(any_type_0_item_data, TriggerConditionInput):
                    any_type_0_item = any_type_0_item_data.to_dict()
                else:
                    any_type_0_item = any_type_0_item_data.to_dict()

                any_.append(any_type_0_item)

        else:
            any_ = self.any_

        input_changed = self.input_changed

        not_: dict[str, Any] | None | Unset
        if isinstance(self.not_, Unset):
            not_ = UNSET
        elif isinstance(self.not_, TriggerConditionInput):
            not_ = self.not_.to_dict()
        elif isinstance(self.not_, TriggerGroupInput):
            not_ = self.not_.to_dict()
        else:
            not_ = self.not_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if all_ is not UNSET:
            field_dict["all"] = all_
        if any_ is not UNSET:
            field_dict["any"] = any_
        if input_changed is not UNSET:
            field_dict["input_changed"] = input_changed
        if not_ is not UNSET:
            field_dict["not"] = not_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trigger_condition_input import TriggerConditionInput  # noqa: PLC0415
        from ..models.trigger_group_input import TriggerGroupInput  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_all_(data: object) -> list[TriggerConditionInput | TriggerGroupInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                all_type_0 = []
                _all_type_0 = data
                for all_type_0_item_data in _all_type_0:

                    def _parse_all_type_0_item(data: object) -> TriggerConditionInput | TriggerGroupInput:
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            all_type_0_item_type_0 = TriggerConditionInput.from_dict(data)

                            return all_type_0_item_type_0
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        if not isinstance(data, dict):
                            raise TypeError()
                        all_type_0_item_type_1 = TriggerGroupInput.from_dict(data)

                        return all_type_0_item_type_1

                    all_type_0_item = _parse_all_type_0_item(all_type_0_item_data)

                    all_type_0.append(all_type_0_item)

                return all_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TriggerConditionInput | TriggerGroupInput] | None | Unset, data)

        all_ = _parse_all_(d.pop("all", UNSET))

        def _parse_any_(data: object) -> list[TriggerConditionInput | TriggerGroupInput] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                any_type_0 = []
                _any_type_0 = data
                for any_type_0_item_data in _any_type_0:

                    def _parse_any_type_0_item(data: object) -> TriggerConditionInput | TriggerGroupInput:
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            any_type_0_item_type_0 = TriggerConditionInput.from_dict(data)

                            return any_type_0_item_type_0
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        if not isinstance(data, dict):
                            raise TypeError()
                        any_type_0_item_type_1 = TriggerGroupInput.from_dict(data)

                        return any_type_0_item_type_1

                    any_type_0_item = _parse_any_type_0_item(any_type_0_item_data)

                    any_type_0.append(any_type_0_item)

                return any_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TriggerConditionInput | TriggerGroupInput] | None | Unset, data)

        any_ = _parse_any_(d.pop("any", UNSET))

        input_changed = d.pop("input_changed", UNSET)

        def _parse_not_(data: object) -> None | TriggerConditionInput | TriggerGroupInput | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                not_type_0_type_0 = TriggerConditionInput.from_dict(data)

                return not_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                not_type_0_type_1 = TriggerGroupInput.from_dict(data)

                return not_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TriggerConditionInput | TriggerGroupInput | Unset, data)

        not_ = _parse_not_(d.pop("not", UNSET))

        trigger_rule_input = cls(
            name=name,
            all_=all_,
            any_=any_,
            input_changed=input_changed,
            not_=not_,
        )

        return trigger_rule_input
