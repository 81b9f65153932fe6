# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.operation import Operation
from ..models.priority import Priority
from ..models.run_state import RunState
from ..models.waiting_for import WaitingFor
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.run_summary_plan import RunSummaryPlan
    from ..models.run_summary_policy import RunSummaryPolicy
    from ..models.run_summary_request import RunSummaryRequest
    from ..models.run_summary_result import RunSummaryResult


T = TypeVar("T", bound="RunSummary")


@_attrs_define
class RunSummary:
    """A run in a list: at most 1 kB, and the documents that `include` names."""

    attempt: int
    """ Tries so far, the present one included. """
    catalog: str
    """ Catalog of the table. """
    created_at: datetime.datetime
    """ Time of its submission. """
    detail: None | str
    """ The same for people; of more than 160 characters the middle is left out. """
    failures: int
    """ Tries that failed. """
    finished_at: datetime.datetime | None
    """ Time at which it ended. """
    id: str
    """ The run's id; ids sort by the time of submission. """
    is_terminal: bool
    """ True when nothing can happen to it any more. """
    not_before: datetime.datetime | None
    """ Time from which a waiting run may start. """
    operation: Operation
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    owner_team: None | str
    """ Team that owns the table at present; null: none. """
    priority: Priority
    """ Priority of a queued run. A run that waited `AGEING` longer than one of the next level goes before it. """
    reason: None | str
    """ Code of the reason why it ended or waits. """
    requested_by: str
    """ Caller who submitted it; `coordinator` for an automatic run. """
    started_at: datetime.datetime | None
    """ Time at which its first attempt started. """
    state: RunState
    """ State of a run. """
    table: None | str
    """ Address of the table, accepted wherever its id is. Null: its registration was deleted. """
    table_id: str
    """ Id of the table, also after its registration was deleted. """
    updated_at: datetime.datetime
    """ Time of its last change. """
    waiting_for: None | WaitingFor
    """ Reason why a queued run has not started yet. """
    plan: RunSummaryPlan | Unset = UNSET
    """ With `include=plan`. Summary and prediction of the plan; empty before planning. """
    policy: RunSummaryPolicy | Unset = UNSET
    """ With `include=policy`. The effective policy that it was planned under. """
    request: RunSummaryRequest | Unset = UNSET
    """ With `include=request`. The request besides the operation: `partitions`, `force_full`, `every_file`,
    `force`, and the `request_id` of the HTTP request that submitted it; of an automatic run `only_due`, its `cause`
    (rule, first partition, how many) and `due_since`. """
    result: RunSummaryResult | Unset = UNSET
    """ With `include=result`. Measured figures, and the proof of each snapshot; extended with each commit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempt = self.attempt

        catalog = self.catalog

        created_at = self.created_at.isoformat()

        detail: None | str
        detail = self.detail

        failures = self.failures

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        id = self.id

        is_terminal = self.is_terminal

        not_before: None | str
        if isinstance(self.not_before, datetime.datetime):
            not_before = self.not_before.isoformat()
        else:
            not_before = self.not_before

        operation = self.operation.value

        owner_team: None | str
        owner_team = self.owner_team

        priority = self.priority.value

        reason: None | str
        reason = self.reason

        requested_by = self.requested_by

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        state = self.state.value

        table: None | str
        table = self.table

        table_id = self.table_id

        updated_at = self.updated_at.isoformat()

        waiting_for: None | str
        if isinstance(self.waiting_for, WaitingFor):
            waiting_for = self.waiting_for.value
        else:
            waiting_for = self.waiting_for

        plan: dict[str, Any] | Unset = UNSET
        if not isinstance(self.plan, Unset):
            plan = self.plan.to_dict()

        policy: dict[str, Any] | Unset = UNSET
        if not isinstance(self.policy, Unset):
            policy = self.policy.to_dict()

        request: dict[str, Any] | Unset = UNSET
        if not isinstance(self.request, Unset):
            request = self.request.to_dict()

        result: dict[str, Any] | Unset = UNSET
        if not isinstance(self.result, Unset):
            result = self.result.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempt": attempt,
                "catalog": catalog,
                "created_at": created_at,
                "detail": detail,
                "failures": failures,
                "finished_at": finished_at,
                "id": id,
                "is_terminal": is_terminal,
                "not_before": not_before,
                "operation": operation,
                "owner_team": owner_team,
                "priority": priority,
                "reason": reason,
                "requested_by": requested_by,
                "started_at": started_at,
                "state": state,
                "table": table,
                "table_id": table_id,
                "updated_at": updated_at,
                "waiting_for": waiting_for,
            }
        )
        if plan is not UNSET:
            field_dict["plan"] = plan
        if policy is not UNSET:
            field_dict["policy"] = policy
        if request is not UNSET:
            field_dict["request"] = request
        if result is not UNSET:
            field_dict["result"] = result

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_summary_plan import RunSummaryPlan  # noqa: PLC0415
        from ..models.run_summary_policy import RunSummaryPolicy  # noqa: PLC0415
        from ..models.run_summary_request import RunSummaryRequest  # noqa: PLC0415
        from ..models.run_summary_result import RunSummaryResult  # noqa: PLC0415

        d = dict(src_dict)
        attempt = d.pop("attempt")

        catalog = d.pop("catalog")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        failures = d.pop("failures")

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        id = d.pop("id")

        is_terminal = d.pop("is_terminal")

        def _parse_not_before(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                not_before_type_0 = datetime.datetime.fromisoformat(data)

                return not_before_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        not_before = _parse_not_before(d.pop("not_before"))

        operation = Operation(d.pop("operation"))

        def _parse_owner_team(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        owner_team = _parse_owner_team(d.pop("owner_team"))

        priority = Priority(d.pop("priority"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        requested_by = d.pop("requested_by")

        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)

                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))

        state = RunState(d.pop("state"))

        def _parse_table(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        table = _parse_table(d.pop("table"))

        table_id = d.pop("table_id")

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        def _parse_waiting_for(data: object) -> None | WaitingFor:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                waiting_for_type_0 = WaitingFor(data)

                return waiting_for_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | WaitingFor, data)

        waiting_for = _parse_waiting_for(d.pop("waiting_for"))

        _plan = d.pop("plan", UNSET)
        plan: RunSummaryPlan | Unset
        if isinstance(_plan, Unset):
            plan = UNSET
        else:
            plan = RunSummaryPlan.from_dict(_plan)

        _policy = d.pop("policy", UNSET)
        policy: RunSummaryPolicy | Unset
        if isinstance(_policy, Unset):
            policy = UNSET
        else:
            policy = RunSummaryPolicy.from_dict(_policy)

        _request = d.pop("request", UNSET)
        request: RunSummaryRequest | Unset
        if isinstance(_request, Unset):
            request = UNSET
        else:
            request = RunSummaryRequest.from_dict(_request)

        _result = d.pop("result", UNSET)
        result: RunSummaryResult | Unset
        if isinstance(_result, Unset):
            result = UNSET
        else:
            result = RunSummaryResult.from_dict(_result)

        run_summary = cls(
            attempt=attempt,
            catalog=catalog,
            created_at=created_at,
            detail=detail,
            failures=failures,
            finished_at=finished_at,
            id=id,
            is_terminal=is_terminal,
            not_before=not_before,
            operation=operation,
            owner_team=owner_team,
            priority=priority,
            reason=reason,
            requested_by=requested_by,
            started_at=started_at,
            state=state,
            table=table,
            table_id=table_id,
            updated_at=updated_at,
            waiting_for=waiting_for,
            plan=plan,
            policy=policy,
            request=request,
            result=result,
        )

        run_summary.additional_properties = d
        return run_summary

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
