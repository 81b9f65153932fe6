# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.runs_at_once import RunsAtOnce


T = TypeVar("T", bound="ExplainedParallelRuns")


@_attrs_define
class ExplainedParallelRuns:
    """Number of running runs in the whole fleet and in the table's catalog."""

    catalog: RunsAtOnce
    """ Runs that workers hold, and how many there may be; null is unlimited. """
    fleet: RunsAtOnce
    """ Runs that workers hold, and how many there may be; null is unlimited. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        catalog = self.catalog.to_dict()

        fleet = self.fleet.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "catalog": catalog,
                "fleet": fleet,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.runs_at_once import RunsAtOnce  # noqa: PLC0415

        d = dict(src_dict)
        catalog = RunsAtOnce.from_dict(d.pop("catalog"))

        fleet = RunsAtOnce.from_dict(d.pop("fleet"))

        explained_parallel_runs = cls(
            catalog=catalog,
            fleet=fleet,
        )

        explained_parallel_runs.additional_properties = d
        return explained_parallel_runs

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
