# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.condition import Condition
    from ..models.ended_run import EndedRun
    from ..models.explained_budgets import ExplainedBudgets
    from ..models.explained_conflicts import ExplainedConflicts
    from ..models.explained_pause import ExplainedPause
    from ..models.explained_schedule import ExplainedSchedule
    from ..models.explained_triggers import ExplainedTriggers
    from ..models.explained_upkeep import ExplainedUpkeep
    from ..models.explained_watch import ExplainedWatch
    from ..models.explained_windows import ExplainedWindows
    from ..models.explanation_settings import ExplanationSettings
    from ..models.explanation_signals_item import ExplanationSignalsItem
    from ..models.health_figures import HealthFigures
    from ..models.next_eligible import NextEligible
    from ..models.run import Run
    from ..models.run_now import RunNow


T = TypeVar("T", bound="Explanation")


@_attrs_define
class Explanation:
    """Explanation of a table: its last rewrites, whether it is due, what holds it back, and the effect of a run now.

    `triggers`, `due`, `eligible` and the plan in `now` are null or absent while the table can't be read.

    """

    budgets: ExplainedBudgets
    """ Budget of a run: the strictest limits of its table, catalog and fleet, while no other run is active. """
    conditions: list[Condition]
    """ Conditions that were checked. """
    conflicts: ExplainedConflicts
    """ File groups that runs of the table lost to other writers lately. """
    due: bool | None
    """ Whether a rule makes it due now: then a run starts automatically once nothing holds it back. """
    eligible: bool | None
    """ Whether the table can be rewritten: every condition holds. """
    explained_at: datetime.datetime
    """ Time at which the explanation was made. """
    health: HealthFigures | None
    """ Figures of the last measurement; null: none. """
    last_run: None | Run
    """ The run of the table that ended last; null: none ended. """
    last_runs: list[EndedRun]
    """ The last five, newest first. """
    live_run: None | Run
    """ The run that is queued or at work; null: none. """
    next_eligible: NextEligible
    """ Earliest start of a run: the latest end of everything that holds it back, now if nothing does. """
    now: RunNow
    """ Outcome of a run that starts now. `unknown`: the table can't be read, `detail` has the reason. """
    pauses: list[ExplainedPause]
    """ Pauses that apply to the table. """
    schedule: ExplainedSchedule
    """ Times at which the policy has the table looked at. """
    settings: ExplanationSettings
    """ Settings with their origins, by dotted name. """
    signals: list[ExplanationSignalsItem]
    """ The newest of each kind, about the table and about the fleet. """
    starts: str
    """ Whether and when a run starts automatically, in one sentence. """
    starts_at: datetime.datetime | None
    """ About when a run starts automatically if nothing more is written. Null: none does in the current state. """
    summary: list[str]
    """ The answer for people: at most 24 lines of at most 100 columns. """
    table: str
    """ Address of the table. """
    table_id: str
    """ Id of the registered table. """
    triggers: ExplainedTriggers | None
    """ The policy's rules with measured conditions; null: the table can't be read. """
    upkeep: list[ExplainedUpkeep]
    """ Operations besides `rewrite` that the policy has switched on. """
    watch: ExplainedWatch | None
    """ State of the watch; null: the table is not watched. """
    windows: ExplainedWindows
    """ Quiet hours and blackouts: how things stand now, and when the next window begins. """
    would_start_by_itself: bool
    """ Whether runs of it start automatically at all: its policy is enabled and a coordinator watches it. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.explained_triggers import ExplainedTriggers  # noqa: PLC0415
        from ..models.explained_watch import ExplainedWatch  # noqa: PLC0415
        from ..models.health_figures import HealthFigures  # noqa: PLC0415
        from ..models.run import Run  # noqa: PLC0415

        budgets = self.budgets.to_dict()

        conditions = []
        for conditions_item_data in self.conditions:
            conditions_item = conditions_item_data.to_dict()
            conditions.append(conditions_item)

        conflicts = self.conflicts.to_dict()

        due: bool | None
        due = self.due

        eligible: bool | None
        eligible = self.eligible

        explained_at = self.explained_at.isoformat()

        health: dict[str, Any] | None
        if isinstance(self.health, HealthFigures):
            health = self.health.to_dict()
        else:
            health = self.health

        last_run: dict[str, Any] | None
        if isinstance(self.last_run, Run):
            last_run = self.last_run.to_dict()
        else:
            last_run = self.last_run

        last_runs = []
        for last_runs_item_data in self.last_runs:
            last_runs_item = last_runs_item_data.to_dict()
            last_runs.append(last_runs_item)

        live_run: dict[str, Any] | None
        if isinstance(self.live_run, Run):
            live_run = self.live_run.to_dict()
        else:
            live_run = self.live_run

        next_eligible = self.next_eligible.to_dict()

        now = self.now.to_dict()

        pauses = []
        for pauses_item_data in self.pauses:
            pauses_item = pauses_item_data.to_dict()
            pauses.append(pauses_item)

        schedule = self.schedule.to_dict()

        settings = self.settings.to_dict()

        signals = []
        for signals_item_data in self.signals:
            signals_item = signals_item_data.to_dict()
            signals.append(signals_item)

        starts = self.starts

        starts_at: None | str
        if isinstance(self.starts_at, datetime.datetime):
            starts_at = self.starts_at.isoformat()
        else:
            starts_at = self.starts_at

        summary = self.summary

        table = self.table

        table_id = self.table_id

        triggers: dict[str, Any] | None
        if isinstance(self.triggers, ExplainedTriggers):
            triggers = self.triggers.to_dict()
        else:
            triggers = self.triggers

        upkeep = []
        for upkeep_item_data in self.upkeep:
            upkeep_item = upkeep_item_data.to_dict()
            upkeep.append(upkeep_item)

        watch: dict[str, Any] | None
        if isinstance(self.watch, ExplainedWatch):
            watch = self.watch.to_dict()
        else:
            watch = self.watch

        windows = self.windows.to_dict()

        would_start_by_itself = self.would_start_by_itself

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "budgets": budgets,
                "conditions": conditions,
                "conflicts": conflicts,
                "due": due,
                "eligible": eligible,
                "explained_at": explained_at,
                "health": health,
                "last_run": last_run,
                "last_runs": last_runs,
                "live_run": live_run,
                "next_eligible": next_eligible,
                "now": now,
                "pauses": pauses,
                "schedule": schedule,
                "settings": settings,
                "signals": signals,
                "starts": starts,
                "starts_at": starts_at,
                "summary": summary,
                "table": table,
                "table_id": table_id,
                "triggers": triggers,
                "upkeep": upkeep,
                "watch": watch,
                "windows": windows,
                "would_start_by_itself": would_start_by_itself,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condition import Condition  # noqa: PLC0415
        from ..models.ended_run import EndedRun  # noqa: PLC0415
        from ..models.explained_budgets import ExplainedBudgets  # noqa: PLC0415
        from ..models.explained_conflicts import ExplainedConflicts  # noqa: PLC0415
        from ..models.explained_pause import ExplainedPause  # noqa: PLC0415
        from ..models.explained_schedule import ExplainedSchedule  # noqa: PLC0415
        from ..models.explained_triggers import ExplainedTriggers  # noqa: PLC0415
        from ..models.explained_upkeep import ExplainedUpkeep  # noqa: PLC0415
        from ..models.explained_watch import ExplainedWatch  # noqa: PLC0415
        from ..models.explained_windows import ExplainedWindows  # noqa: PLC0415
        from ..models.explanation_settings import ExplanationSettings  # noqa: PLC0415
        from ..models.explanation_signals_item import ExplanationSignalsItem  # noqa: PLC0415
        from ..models.health_figures import HealthFigures  # noqa: PLC0415
        from ..models.next_eligible import NextEligible  # noqa: PLC0415
        from ..models.run import Run  # noqa: PLC0415
        from ..models.run_now import RunNow  # noqa: PLC0415

        d = dict(src_dict)
        budgets = ExplainedBudgets.from_dict(d.pop("budgets"))

        conditions = []
        _conditions = d.pop("conditions")
        for conditions_item_data in _conditions:
            conditions_item = Condition.from_dict(conditions_item_data)

            conditions.append(conditions_item)

        conflicts = ExplainedConflicts.from_dict(d.pop("conflicts"))

        def _parse_due(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        due = _parse_due(d.pop("due"))

        def _parse_eligible(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        eligible = _parse_eligible(d.pop("eligible"))

        explained_at = datetime.datetime.fromisoformat(d.pop("explained_at"))

        def _parse_health(data: object) -> HealthFigures | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                health_type_0 = HealthFigures.from_dict(data)

                return health_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(HealthFigures | None, data)

        health = _parse_health(d.pop("health"))

        def _parse_last_run(data: object) -> None | Run:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                last_run_type_0 = Run.from_dict(data)

                return last_run_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Run, data)

        last_run = _parse_last_run(d.pop("last_run"))

        last_runs = []
        _last_runs = d.pop("last_runs")
        for last_runs_item_data in _last_runs:
            last_runs_item = EndedRun.from_dict(last_runs_item_data)

            last_runs.append(last_runs_item)

        def _parse_live_run(data: object) -> None | Run:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                live_run_type_0 = Run.from_dict(data)

                return live_run_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Run, data)

        live_run = _parse_live_run(d.pop("live_run"))

        next_eligible = NextEligible.from_dict(d.pop("next_eligible"))

        now = RunNow.from_dict(d.pop("now"))

        pauses = []
        _pauses = d.pop("pauses")
        for pauses_item_data in _pauses:
            pauses_item = ExplainedPause.from_dict(pauses_item_data)

            pauses.append(pauses_item)

        schedule = ExplainedSchedule.from_dict(d.pop("schedule"))

        settings = ExplanationSettings.from_dict(d.pop("settings"))

        signals = []
        _signals = d.pop("signals")
        for signals_item_data in _signals:
            signals_item = ExplanationSignalsItem.from_dict(signals_item_data)

            signals.append(signals_item)

        starts = d.pop("starts")

        def _parse_starts_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                starts_at_type_0 = datetime.datetime.fromisoformat(data)

                return starts_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        starts_at = _parse_starts_at(d.pop("starts_at"))

        summary = cast(list[str], d.pop("summary"))

        table = d.pop("table")

        table_id = d.pop("table_id")

        def _parse_triggers(data: object) -> ExplainedTriggers | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                triggers_type_0 = ExplainedTriggers.from_dict(data)

                return triggers_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExplainedTriggers | None, data)

        triggers = _parse_triggers(d.pop("triggers"))

        upkeep = []
        _upkeep = d.pop("upkeep")
        for upkeep_item_data in _upkeep:
            upkeep_item = ExplainedUpkeep.from_dict(upkeep_item_data)

            upkeep.append(upkeep_item)

        def _parse_watch(data: object) -> ExplainedWatch | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                watch_type_0 = ExplainedWatch.from_dict(data)

                return watch_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExplainedWatch | None, data)

        watch = _parse_watch(d.pop("watch"))

        windows = ExplainedWindows.from_dict(d.pop("windows"))

        would_start_by_itself = d.pop("would_start_by_itself")

        explanation = cls(
            budgets=budgets,
            conditions=conditions,
            conflicts=conflicts,
            due=due,
            eligible=eligible,
            explained_at=explained_at,
            health=health,
            last_run=last_run,
            last_runs=last_runs,
            live_run=live_run,
            next_eligible=next_eligible,
            now=now,
            pauses=pauses,
            schedule=schedule,
            settings=settings,
            signals=signals,
            starts=starts,
            starts_at=starts_at,
            summary=summary,
            table=table,
            table_id=table_id,
            triggers=triggers,
            upkeep=upkeep,
            watch=watch,
            windows=windows,
            would_start_by_itself=would_start_by_itself,
        )

        explanation.additional_properties = d
        return explanation

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
