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

if TYPE_CHECKING:
    from ..models.run_accepted_plan import RunAcceptedPlan
    from ..models.run_accepted_policy import RunAcceptedPolicy
    from ..models.run_accepted_request import RunAcceptedRequest
    from ..models.run_accepted_result import RunAcceptedResult


T = TypeVar("T", bound="RunAccepted")


@_attrs_define
class RunAccepted:
    """A submitted run."""

    attempt: int
    """ Tries so far, the present one included. """
    cancel_requested_at: datetime.datetime | None
    """ Time at which its cancellation was requested. """
    cancel_requested_by: None | str
    """ Caller who requested its cancellation. """
    catalog: str
    """ Catalog of the table. """
    created_at: datetime.datetime
    """ Time of its submission. """
    deduplicated: bool
    """ True: an equal run was live already and is returned instead of a new one. """
    detail: None | str
    """ The same for people, with the remedy. """
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
    plan: RunAcceptedPlan
    """ Summary and prediction of the plan; empty before planning. """
    policy: RunAcceptedPolicy
    """ The effective policy that it was planned under. """
    priority: Priority
    """ Priority of a queued run. A run that waited `AGEING` longer than one of the next level goes before it. """
    reason: None | str
    """ Code of the reason why it ended or waits. """
    request: RunAcceptedRequest
    """ The request besides the operation: `partitions`, `force_full`, `every_file`, `force`, and the `request_id`
    of the HTTP request that submitted it; of an automatic run `only_due`, its `cause` (rule, first partition, how
    many) and `due_since`. """
    requested_by: str
    """ Caller who submitted it; `coordinator` for an automatic run. """
    result: RunAcceptedResult
    """ Measured figures, and the proof of each snapshot; extended with each commit. """
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
    urgent_at: datetime.datetime | None
    """ From then on it goes before all queued runs that are not urgent (`schedule.urgent_after`). """
    waiting_for: None | WaitingFor
    """ Reason why a queued run has not started yet. """
    worker: None | str
    """ Worker that holds its lease. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        attempt = self.attempt

        cancel_requested_at: None | str
        if isinstance(self.cancel_requested_at, datetime.datetime):
            cancel_requested_at = self.cancel_requested_at.isoformat()
        else:
            cancel_requested_at = self.cancel_requested_at

        cancel_requested_by: None | str
        cancel_requested_by = self.cancel_requested_by

        catalog = self.catalog

        created_at = self.created_at.isoformat()

        deduplicated = self.deduplicated

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

        plan = self.plan.to_dict()

        policy = self.policy.to_dict()

        priority = self.priority.value

        reason: None | str
        reason = self.reason

        request = self.request.to_dict()

        requested_by = self.requested_by

        result = self.result.to_dict()

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

        urgent_at: None | str
        if isinstance(self.urgent_at, datetime.datetime):
            urgent_at = self.urgent_at.isoformat()
        else:
            urgent_at = self.urgent_at

        waiting_for: None | str
        if isinstance(self.waiting_for, WaitingFor):
            waiting_for = self.waiting_for.value
        else:
            waiting_for = self.waiting_for

        worker: None | str
        worker = self.worker

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "attempt": attempt,
                "cancel_requested_at": cancel_requested_at,
                "cancel_requested_by": cancel_requested_by,
                "catalog": catalog,
                "created_at": created_at,
                "deduplicated": deduplicated,
                "detail": detail,
                "failures": failures,
                "finished_at": finished_at,
                "id": id,
                "is_terminal": is_terminal,
                "not_before": not_before,
                "operation": operation,
                "owner_team": owner_team,
                "plan": plan,
                "policy": policy,
                "priority": priority,
                "reason": reason,
                "request": request,
                "requested_by": requested_by,
                "result": result,
                "started_at": started_at,
                "state": state,
                "table": table,
                "table_id": table_id,
                "updated_at": updated_at,
                "urgent_at": urgent_at,
                "waiting_for": waiting_for,
                "worker": worker,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_accepted_plan import RunAcceptedPlan  # noqa: PLC0415
        from ..models.run_accepted_policy import RunAcceptedPolicy  # noqa: PLC0415
        from ..models.run_accepted_request import RunAcceptedRequest  # noqa: PLC0415
        from ..models.run_accepted_result import RunAcceptedResult  # noqa: PLC0415

        d = dict(src_dict)
        attempt = d.pop("attempt")

        def _parse_cancel_requested_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                cancel_requested_at_type_0 = datetime.datetime.fromisoformat(data)

                return cancel_requested_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        cancel_requested_at = _parse_cancel_requested_at(d.pop("cancel_requested_at"))

        def _parse_cancel_requested_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cancel_requested_by = _parse_cancel_requested_by(d.pop("cancel_requested_by"))

        catalog = d.pop("catalog")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        deduplicated = d.pop("deduplicated")

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

        plan = RunAcceptedPlan.from_dict(d.pop("plan"))

        policy = RunAcceptedPolicy.from_dict(d.pop("policy"))

        priority = Priority(d.pop("priority"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        request = RunAcceptedRequest.from_dict(d.pop("request"))

        requested_by = d.pop("requested_by")

        result = RunAcceptedResult.from_dict(d.pop("result"))

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

        def _parse_urgent_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                urgent_at_type_0 = datetime.datetime.fromisoformat(data)

                return urgent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        urgent_at = _parse_urgent_at(d.pop("urgent_at"))

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

        def _parse_worker(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        worker = _parse_worker(d.pop("worker"))

        run_accepted = cls(
            attempt=attempt,
            cancel_requested_at=cancel_requested_at,
            cancel_requested_by=cancel_requested_by,
            catalog=catalog,
            created_at=created_at,
            deduplicated=deduplicated,
            detail=detail,
            failures=failures,
            finished_at=finished_at,
            id=id,
            is_terminal=is_terminal,
            not_before=not_before,
            operation=operation,
            owner_team=owner_team,
            plan=plan,
            policy=policy,
            priority=priority,
            reason=reason,
            request=request,
            requested_by=requested_by,
            result=result,
            started_at=started_at,
            state=state,
            table=table,
            table_id=table_id,
            updated_at=updated_at,
            urgent_at=urgent_at,
            waiting_for=waiting_for,
            worker=worker,
        )

        run_accepted.additional_properties = d
        return run_accepted

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
