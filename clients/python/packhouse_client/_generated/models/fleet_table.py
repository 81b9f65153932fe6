# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="FleetTable")


@_attrs_define
class FleetTable:
    """A table in the ranking, as it was measured last."""

    avoidable_file_count: int
    """ Files that rewriting would save. """
    benefit_per_cost: float
    """ Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file group is
    committed, by those that its runs committed and lost to other writers in seven days. """
    catalog: str
    """ Name of the catalog. """
    file_count: int
    """ Live data files. """
    is_paused: bool
    """ Whether the table is paused. """
    measured_at: datetime.datetime
    """ When it was measured. """
    name: str
    """ Its name. """
    namespace: list[str]
    """ Levels of the namespace, outer first. """
    owner_team: None | str
    """ Team that owns the table; null: none. """
    score: int
    """ Health score from 0 to 100; 100: nothing to improve. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    table_id: str
    """ Id of the registered table. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avoidable_file_count = self.avoidable_file_count

        benefit_per_cost = self.benefit_per_cost

        catalog = self.catalog

        file_count = self.file_count

        is_paused = self.is_paused

        measured_at = self.measured_at.isoformat()

        name = self.name

        namespace = self.namespace

        owner_team: None | str
        owner_team = self.owner_team

        score = self.score

        small_file_count = self.small_file_count

        table_id = self.table_id

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avoidable_file_count": avoidable_file_count,
                "benefit_per_cost": benefit_per_cost,
                "catalog": catalog,
                "file_count": file_count,
                "is_paused": is_paused,
                "measured_at": measured_at,
                "name": name,
                "namespace": namespace,
                "owner_team": owner_team,
                "score": score,
                "small_file_count": small_file_count,
                "table_id": table_id,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        avoidable_file_count = d.pop("avoidable_file_count")

        benefit_per_cost = d.pop("benefit_per_cost")

        catalog = d.pop("catalog")

        file_count = d.pop("file_count")

        is_paused = d.pop("is_paused")

        measured_at = datetime.datetime.fromisoformat(d.pop("measured_at"))

        name = d.pop("name")

        namespace = cast(list[str], d.pop("namespace"))

        def _parse_owner_team(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        owner_team = _parse_owner_team(d.pop("owner_team"))

        score = d.pop("score")

        small_file_count = d.pop("small_file_count")

        table_id = d.pop("table_id")

        total_bytes = d.pop("total_bytes")

        fleet_table = cls(
            avoidable_file_count=avoidable_file_count,
            benefit_per_cost=benefit_per_cost,
            catalog=catalog,
            file_count=file_count,
            is_paused=is_paused,
            measured_at=measured_at,
            name=name,
            namespace=namespace,
            owner_team=owner_team,
            score=score,
            small_file_count=small_file_count,
            table_id=table_id,
            total_bytes=total_bytes,
        )

        fleet_table.additional_properties = d
        return fleet_table

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
