# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.verdict import Verdict

if TYPE_CHECKING:
    from ..models.last_run import LastRun


T = TypeVar("T", bound="FleetTable")


@_attrs_define
class FleetTable:
    """A table with its last look, newest measurement and newest run. Figures are null before the first measurement."""

    avoidable_file_count: int | None
    """ Files fewer after a rewrite. """
    benefit_per_cost: float | None
    """ Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file group is
    committed, by those that its runs committed and lost to other writers in seven days. """
    catalog: str
    """ Catalog of the table. """
    detail: None | str
    """ The verdict in words, with every hold. """
    due_since: datetime.datetime | None
    """ Since when a rule has made the table due; null while none does. """
    file_count: int | None
    """ Data files. """
    hold: None | str
    """ Code of the first thing that holds a due table back; null unless the verdict is `held`. """
    is_frozen: bool
    """ True while a failed proof keeps runs from starting. """
    is_paused: bool
    """ True while the table itself is paused. """
    last_run: LastRun | None
    """ The run that was submitted last; null: none. """
    looked_at: datetime.datetime | None
    """ Time of the last look by a coordinator; null: never. """
    measured_at: datetime.datetime | None
    """ Time of the last measurement of its files. """
    name: str
    """ Name in its namespace. """
    namespace: list[str]
    """ Levels of its namespace, outer first. """
    next_look_at: datetime.datetime | None
    """ Time of the next look by a coordinator; a time in the past means as soon as possible. """
    owner_team: None | str
    """ Team that owns it; null: none. """
    score: float | None
    """ Health score, 0 (worst) to 100. """
    small_file_count: int | None
    """ Data files below the small-file limit of its policy. """
    table: str
    """ Address of the table, accepted wherever its id is. """
    table_id: str
    """ The table's id. """
    total_bytes: int | None
    """ Bytes of all data files. """
    verdict: Verdict
    """ Result of the last look of a coordinator at a table. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.last_run import LastRun  # noqa: PLC0415

        avoidable_file_count: int | None
        avoidable_file_count = self.avoidable_file_count

        benefit_per_cost: float | None
        benefit_per_cost = self.benefit_per_cost

        catalog = self.catalog

        detail: None | str
        detail = self.detail

        due_since: None | str
        if isinstance(self.due_since, datetime.datetime):
            due_since = self.due_since.isoformat()
        else:
            due_since = self.due_since

        file_count: int | None
        file_count = self.file_count

        hold: None | str
        hold = self.hold

        is_frozen = self.is_frozen

        is_paused = self.is_paused

        last_run: dict[str, Any] | None
        if isinstance(self.last_run, LastRun):
            last_run = self.last_run.to_dict()
        else:
            last_run = self.last_run

        looked_at: None | str
        if isinstance(self.looked_at, datetime.datetime):
            looked_at = self.looked_at.isoformat()
        else:
            looked_at = self.looked_at

        measured_at: None | str
        if isinstance(self.measured_at, datetime.datetime):
            measured_at = self.measured_at.isoformat()
        else:
            measured_at = self.measured_at

        name = self.name

        namespace = self.namespace

        next_look_at: None | str
        if isinstance(self.next_look_at, datetime.datetime):
            next_look_at = self.next_look_at.isoformat()
        else:
            next_look_at = self.next_look_at

        owner_team: None | str
        owner_team = self.owner_team

        score: float | None
        score = self.score

        small_file_count: int | None
        small_file_count = self.small_file_count

        table = self.table

        table_id = self.table_id

        total_bytes: int | None
        total_bytes = self.total_bytes

        verdict = self.verdict.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avoidable_file_count": avoidable_file_count,
                "benefit_per_cost": benefit_per_cost,
                "catalog": catalog,
                "detail": detail,
                "due_since": due_since,
                "file_count": file_count,
                "hold": hold,
                "is_frozen": is_frozen,
                "is_paused": is_paused,
                "last_run": last_run,
                "looked_at": looked_at,
                "measured_at": measured_at,
                "name": name,
                "namespace": namespace,
                "next_look_at": next_look_at,
                "owner_team": owner_team,
                "score": score,
                "small_file_count": small_file_count,
                "table": table,
                "table_id": table_id,
                "total_bytes": total_bytes,
                "verdict": verdict,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.last_run import LastRun  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_avoidable_file_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        avoidable_file_count = _parse_avoidable_file_count(d.pop("avoidable_file_count"))

        def _parse_benefit_per_cost(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        benefit_per_cost = _parse_benefit_per_cost(d.pop("benefit_per_cost"))

        catalog = d.pop("catalog")

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        def _parse_due_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_since_type_0 = datetime.datetime.fromisoformat(data)

                return due_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        due_since = _parse_due_since(d.pop("due_since"))

        def _parse_file_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        file_count = _parse_file_count(d.pop("file_count"))

        def _parse_hold(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        hold = _parse_hold(d.pop("hold"))

        is_frozen = d.pop("is_frozen")

        is_paused = d.pop("is_paused")

        def _parse_last_run(data: object) -> LastRun | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                last_run_type_0 = LastRun.from_dict(data)

                return last_run_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LastRun | None, data)

        last_run = _parse_last_run(d.pop("last_run"))

        def _parse_looked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                looked_at_type_0 = datetime.datetime.fromisoformat(data)

                return looked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        looked_at = _parse_looked_at(d.pop("looked_at"))

        def _parse_measured_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                measured_at_type_0 = datetime.datetime.fromisoformat(data)

                return measured_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        measured_at = _parse_measured_at(d.pop("measured_at"))

        name = d.pop("name")

        namespace = cast(list[str], d.pop("namespace"))

        def _parse_next_look_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_look_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_look_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_look_at = _parse_next_look_at(d.pop("next_look_at"))

        def _parse_owner_team(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        owner_team = _parse_owner_team(d.pop("owner_team"))

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        def _parse_small_file_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        small_file_count = _parse_small_file_count(d.pop("small_file_count"))

        table = d.pop("table")

        table_id = d.pop("table_id")

        def _parse_total_bytes(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total_bytes = _parse_total_bytes(d.pop("total_bytes"))

        verdict = Verdict(d.pop("verdict"))

        fleet_table = cls(
            avoidable_file_count=avoidable_file_count,
            benefit_per_cost=benefit_per_cost,
            catalog=catalog,
            detail=detail,
            due_since=due_since,
            file_count=file_count,
            hold=hold,
            is_frozen=is_frozen,
            is_paused=is_paused,
            last_run=last_run,
            looked_at=looked_at,
            measured_at=measured_at,
            name=name,
            namespace=namespace,
            next_look_at=next_look_at,
            owner_team=owner_team,
            score=score,
            small_file_count=small_file_count,
            table=table,
            table_id=table_id,
            total_bytes=total_bytes,
            verdict=verdict,
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
