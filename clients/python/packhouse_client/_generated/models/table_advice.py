# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.layout_advice import LayoutAdvice
    from ..models.upkeep_advice import UpkeepAdvice
    from ..models.writes import Writes


T = TypeVar("T", bound="TableAdvice")


@_attrs_define
class TableAdvice:
    """Recommended policy of a table. Nothing is changed by it."""

    expiry_is_assumed: bool
    """ True: the policy does not set it; the default of the table's format is used. """
    expiry_seconds: float
    """ Time for which superseded files are kept, in seconds. """
    layout: LayoutAdvice
    """ Recommended layout of the files, from the filters of queries (signals of kind `filters`, seven days). """
    table_id: str
    """ Id of the registered table. """
    upkeep: UpkeepAdvice
    """ Cost of rewriting at the present rate. """
    writes: Writes
    """ Commits of the last seven days, or as far back as the table has snapshots. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        expiry_is_assumed = self.expiry_is_assumed

        expiry_seconds = self.expiry_seconds

        layout = self.layout.to_dict()

        table_id = self.table_id

        upkeep = self.upkeep.to_dict()

        writes = self.writes.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "expiry_is_assumed": expiry_is_assumed,
                "expiry_seconds": expiry_seconds,
                "layout": layout,
                "table_id": table_id,
                "upkeep": upkeep,
                "writes": writes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.layout_advice import LayoutAdvice  # noqa: PLC0415
        from ..models.upkeep_advice import UpkeepAdvice  # noqa: PLC0415
        from ..models.writes import Writes  # noqa: PLC0415

        d = dict(src_dict)
        expiry_is_assumed = d.pop("expiry_is_assumed")

        expiry_seconds = d.pop("expiry_seconds")

        layout = LayoutAdvice.from_dict(d.pop("layout"))

        table_id = d.pop("table_id")

        upkeep = UpkeepAdvice.from_dict(d.pop("upkeep"))

        writes = Writes.from_dict(d.pop("writes"))

        table_advice = cls(
            expiry_is_assumed=expiry_is_assumed,
            expiry_seconds=expiry_seconds,
            layout=layout,
            table_id=table_id,
            upkeep=upkeep,
            writes=writes,
        )

        table_advice.additional_properties = d
        return table_advice

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
