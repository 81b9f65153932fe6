# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.backlog import Backlog
    from ..models.budget_use import BudgetUse
    from ..models.fleet_ended_runs import FleetEndedRuns
    from ..models.fleet_live_runs import FleetLiveRuns
    from ..models.live_rate import LiveRate
    from ..models.open_breaker import OpenBreaker
    from ..models.pause import Pause
    from ..models.races import Races
    from ..models.small_file_flow import SmallFileFlow


T = TypeVar("T", bound="Fleet")


@_attrs_define
class Fleet:
    """Sums over the tables that the caller sees. Files and bytes are those of tables that were measured."""

    backlog: Backlog
    """ Avoidable files, and how long they take at the rates of the last 24 hours. """
    breakers: list[OpenBreaker]
    """ Catalogs in which no run starts automatically for now, after failures in a row. """
    budget: BudgetUse
    """ Bytes that rewrites read in the last 24 hours, and the limit of the fleet. """
    ended_runs: FleetEndedRuns
    """ Ended in the last 24 hours. """
    file_count: int
    """ Live data files. """
    live_runs: FleetLiveRuns
    """ Live runs, by state. """
    measured_at: datetime.datetime
    """ Time of the measurement. """
    measured_tables: int
    """ Tables that were measured. """
    pause: None | Pause
    """ Null unless all tables are paused. """
    paused_tables: int
    """ Tables that are paused. """
    races: Races
    """ File groups of runs that ended in the last 24 hours. """
    rates: list[LiveRate] | None
    """ At present: of the fleet, then of each catalog with limits. Null while Redis does not answer. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    small_files: SmallFileFlow
    """ Small files that came and went between measurements of the last 24 hours. """
    tables: int
    """ Registered tables. """
    total_bytes: int
    """ Bytes of live data files. """
    wasted_bytes: int
    """ Written and dropped by runs that ended in the last 24 hours. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.pause import Pause  # noqa: PLC0415

        backlog = self.backlog.to_dict()

        breakers = []
        for breakers_item_data in self.breakers:
            breakers_item = breakers_item_data.to_dict()
            breakers.append(breakers_item)

        budget = self.budget.to_dict()

        ended_runs = self.ended_runs.to_dict()

        file_count = self.file_count

        live_runs = self.live_runs.to_dict()

        measured_at = self.measured_at.isoformat()

        measured_tables = self.measured_tables

        pause: dict[str, Any] | None
        if isinstance(self.pause, Pause):
            pause = self.pause.to_dict()
        else:
            pause = self.pause

        paused_tables = self.paused_tables

        races = self.races.to_dict()

        rates: list[dict[str, Any]] | None
        if isinstance(self.rates, list):
            rates = []
            for rates_type_0_item_data in self.rates:
                rates_type_0_item = rates_type_0_item_data.to_dict()
                rates.append(rates_type_0_item)

        else:
            rates = self.rates

        small_file_count = self.small_file_count

        small_files = self.small_files.to_dict()

        tables = self.tables

        total_bytes = self.total_bytes

        wasted_bytes = self.wasted_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "backlog": backlog,
                "breakers": breakers,
                "budget": budget,
                "ended_runs": ended_runs,
                "file_count": file_count,
                "live_runs": live_runs,
                "measured_at": measured_at,
                "measured_tables": measured_tables,
                "pause": pause,
                "paused_tables": paused_tables,
                "races": races,
                "rates": rates,
                "small_file_count": small_file_count,
                "small_files": small_files,
                "tables": tables,
                "total_bytes": total_bytes,
                "wasted_bytes": wasted_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.backlog import Backlog  # noqa: PLC0415
        from ..models.budget_use import BudgetUse  # noqa: PLC0415
        from ..models.fleet_ended_runs import FleetEndedRuns  # noqa: PLC0415
        from ..models.fleet_live_runs import FleetLiveRuns  # noqa: PLC0415
        from ..models.live_rate import LiveRate  # noqa: PLC0415
        from ..models.open_breaker import OpenBreaker  # noqa: PLC0415
        from ..models.pause import Pause  # noqa: PLC0415
        from ..models.races import Races  # noqa: PLC0415
        from ..models.small_file_flow import SmallFileFlow  # noqa: PLC0415

        d = dict(src_dict)
        backlog = Backlog.from_dict(d.pop("backlog"))

        breakers = []
        _breakers = d.pop("breakers")
        for breakers_item_data in _breakers:
            breakers_item = OpenBreaker.from_dict(breakers_item_data)

            breakers.append(breakers_item)

        budget = BudgetUse.from_dict(d.pop("budget"))

        ended_runs = FleetEndedRuns.from_dict(d.pop("ended_runs"))

        file_count = d.pop("file_count")

        live_runs = FleetLiveRuns.from_dict(d.pop("live_runs"))

        measured_at = datetime.datetime.fromisoformat(d.pop("measured_at"))

        measured_tables = d.pop("measured_tables")

        def _parse_pause(data: object) -> None | Pause:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pause_type_0 = Pause.from_dict(data)

                return pause_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Pause, data)

        pause = _parse_pause(d.pop("pause"))

        paused_tables = d.pop("paused_tables")

        races = Races.from_dict(d.pop("races"))

        def _parse_rates(data: object) -> list[LiveRate] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                rates_type_0 = []
                _rates_type_0 = data
                for rates_type_0_item_data in _rates_type_0:
                    rates_type_0_item = LiveRate.from_dict(rates_type_0_item_data)

                    rates_type_0.append(rates_type_0_item)

                return rates_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[LiveRate] | None, data)

        rates = _parse_rates(d.pop("rates"))

        small_file_count = d.pop("small_file_count")

        small_files = SmallFileFlow.from_dict(d.pop("small_files"))

        tables = d.pop("tables")

        total_bytes = d.pop("total_bytes")

        wasted_bytes = d.pop("wasted_bytes")

        fleet = cls(
            backlog=backlog,
            breakers=breakers,
            budget=budget,
            ended_runs=ended_runs,
            file_count=file_count,
            live_runs=live_runs,
            measured_at=measured_at,
            measured_tables=measured_tables,
            pause=pause,
            paused_tables=paused_tables,
            races=races,
            rates=rates,
            small_file_count=small_file_count,
            small_files=small_files,
            tables=tables,
            total_bytes=total_bytes,
            wasted_bytes=wasted_bytes,
        )

        fleet.additional_properties = d
        return fleet

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
