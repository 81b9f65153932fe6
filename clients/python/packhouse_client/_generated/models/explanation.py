# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.condition import Condition
    from ..models.explanation_settings import ExplanationSettings
    from ..models.run import Run
    from ..models.run_now import RunNow


T = TypeVar("T", bound="Explanation")


@_attrs_define
class Explanation:
    """Why a table did or did not run, and what a run would do now."""

    conditions: list[Condition]
    eligible: bool | None
    """ Null while the catalog does not answer. """
    last_run: None | Run
    live_run: None | Run
    now: RunNow
    """ What a run would come to now. `unknown`: the catalog does not answer, `detail` says why. """
    settings: ExplanationSettings
    summary: list[str]
    """ The answer in sentences. """
    table: str
    table_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.run import Run  # noqa: PLC0415

        conditions = []
        for conditions_item_data in self.conditions:
            conditions_item = conditions_item_data.to_dict()
            conditions.append(conditions_item)

        eligible: bool | None
        eligible = self.eligible

        last_run: dict[str, Any] | None
        if isinstance(self.last_run, Run):
            last_run = self.last_run.to_dict()
        else:
            last_run = self.last_run

        live_run: dict[str, Any] | None
        if isinstance(self.live_run, Run):
            live_run = self.live_run.to_dict()
        else:
            live_run = self.live_run

        now = self.now.to_dict()

        settings = self.settings.to_dict()

        summary = self.summary

        table = self.table

        table_id = self.table_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conditions": conditions,
                "eligible": eligible,
                "last_run": last_run,
                "live_run": live_run,
                "now": now,
                "settings": settings,
                "summary": summary,
                "table": table,
                "table_id": table_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condition import Condition  # noqa: PLC0415
        from ..models.explanation_settings import ExplanationSettings  # noqa: PLC0415
        from ..models.run import Run  # noqa: PLC0415
        from ..models.run_now import RunNow  # noqa: PLC0415

        d = dict(src_dict)
        conditions = []
        _conditions = d.pop("conditions")
        for conditions_item_data in _conditions:
            conditions_item = Condition.from_dict(conditions_item_data)

            conditions.append(conditions_item)

        def _parse_eligible(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        eligible = _parse_eligible(d.pop("eligible"))

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

        now = RunNow.from_dict(d.pop("now"))

        settings = ExplanationSettings.from_dict(d.pop("settings"))

        summary = cast(list[str], d.pop("summary"))

        table = d.pop("table")

        table_id = d.pop("table_id")

        explanation = cls(
            conditions=conditions,
            eligible=eligible,
            last_run=last_run,
            live_run=live_run,
            now=now,
            settings=settings,
            summary=summary,
            table=table,
            table_id=table_id,
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
