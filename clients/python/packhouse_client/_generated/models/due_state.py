# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.never_due import NeverDue


T = TypeVar("T", bound="DueState")


@_attrs_define
class DueState:
    """Judgment of the policy's rules on the table now, with reasons."""

    advice: list[str]
    """ Advice if a tenth of the data files or more would never be due; otherwise empty. """
    because: list[str]
    """ One sentence for each due rule, with the measured values. """
    is_due: bool
    """ True: at least one rule is due. """
    never_due: NeverDue
    """ Avoidable files that a rewrite would merge and that no rule makes due unless more files are written. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        advice = self.advice

        because = self.because

        is_due = self.is_due

        never_due = self.never_due.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "advice": advice,
                "because": because,
                "is_due": is_due,
                "never_due": never_due,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.never_due import NeverDue  # noqa: PLC0415

        d = dict(src_dict)
        advice = cast(list[str], d.pop("advice"))

        because = cast(list[str], d.pop("because"))

        is_due = d.pop("is_due")

        never_due = NeverDue.from_dict(d.pop("never_due"))

        due_state = cls(
            advice=advice,
            because=because,
            is_due=is_due,
            never_due=never_due,
        )

        due_state.additional_properties = d
        return due_state

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
