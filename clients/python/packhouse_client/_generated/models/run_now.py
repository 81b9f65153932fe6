# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.run_now_outcome import RunNowOutcome

if TYPE_CHECKING:
    from ..models.calibration import Calibration
    from ..models.cost import Cost
    from ..models.planned_later import PlannedLater
    from ..models.prediction import Prediction
    from ..models.run_now_prediction_errors import RunNowPredictionErrors
    from ..models.run_now_skipped_reasons import RunNowSkippedReasons
    from ..models.time_estimate import TimeEstimate


T = TypeVar("T", bound="RunNow")


@_attrs_define
class RunNow:
    """Outcome of a run that starts now. `unknown`: the table can't be read, `detail` has the reason."""

    base_snapshot_id: None | str
    """ Snapshot that the plan was made on; null for a table without snapshots. """
    calibration: Calibration | None
    """ Factors by which the prediction was corrected. """
    cost: Cost | None
    """ Work of a run; null: no plan. """
    deferred_groups: int | None
    """ File groups of the plan that are left for later: they exceed the rest of `limits.bytes_per_day`. """
    detail: None | str
    """ Explanation in words; null: none. """
    groups_total: int | None
    """ File groups of the plan. """
    later: None | PlannedLater
    """ Partitions that are planned later; null: none. """
    outcome: RunNowOutcome
    """ Result for this table. """
    plan_hash: None | str
    """ Hash of the plan: the same on the same snapshot and policy. """
    prediction: None | Prediction
    """ Predicted results of the plan. """
    prediction_errors: RunNowPredictionErrors
    """ Median error of the predictions of the last runs, by figure: 0.1 is 10 %. """
    schema_id: int | None
    """ Id of the table's schema. """
    shrunk_partitions: int | None
    """ Partitions with smaller groups than the policy's, after lost races. """
    skipped_reasons: RunNowSkippedReasons
    """ Skipped partitions by reason. """
    skipped_total: int | None
    """ Partitions that the plan leaves alone. """
    time_estimate: None | TimeEstimate
    """ Measurements from which its time was predicted. """
    waits_for: list[str]
    """ Codes of `held_by` that a run requested now would wait for. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.calibration import Calibration  # noqa: PLC0415
        from ..models.cost import Cost  # noqa: PLC0415
        from ..models.planned_later import PlannedLater  # noqa: PLC0415
        from ..models.prediction import Prediction  # noqa: PLC0415
        from ..models.time_estimate import TimeEstimate  # noqa: PLC0415

        base_snapshot_id: None | str
        base_snapshot_id = self.base_snapshot_id

        calibration: dict[str, Any] | None
        if isinstance(self.calibration, Calibration):
            calibration = self.calibration.to_dict()
        else:
            calibration = self.calibration

        cost: dict[str, Any] | None
        if isinstance(self.cost, Cost):
            cost = self.cost.to_dict()
        else:
            cost = self.cost

        deferred_groups: int | None
        deferred_groups = self.deferred_groups

        detail: None | str
        detail = self.detail

        groups_total: int | None
        groups_total = self.groups_total

        later: dict[str, Any] | None
        if isinstance(self.later, PlannedLater):
            later = self.later.to_dict()
        else:
            later = self.later

        outcome = self.outcome.value

        plan_hash: None | str
        plan_hash = self.plan_hash

        prediction: dict[str, Any] | None
        if isinstance(self.prediction, Prediction):
            prediction = self.prediction.to_dict()
        else:
            prediction = self.prediction

        prediction_errors = self.prediction_errors.to_dict()

        schema_id: int | None
        schema_id = self.schema_id

        shrunk_partitions: int | None
        shrunk_partitions = self.shrunk_partitions

        skipped_reasons = self.skipped_reasons.to_dict()

        skipped_total: int | None
        skipped_total = self.skipped_total

        time_estimate: dict[str, Any] | None
        if isinstance(self.time_estimate, TimeEstimate):
            time_estimate = self.time_estimate.to_dict()
        else:
            time_estimate = self.time_estimate

        waits_for = self.waits_for

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "base_snapshot_id": base_snapshot_id,
                "calibration": calibration,
                "cost": cost,
                "deferred_groups": deferred_groups,
                "detail": detail,
                "groups_total": groups_total,
                "later": later,
                "outcome": outcome,
                "plan_hash": plan_hash,
                "prediction": prediction,
                "prediction_errors": prediction_errors,
                "schema_id": schema_id,
                "shrunk_partitions": shrunk_partitions,
                "skipped_reasons": skipped_reasons,
                "skipped_total": skipped_total,
                "time_estimate": time_estimate,
                "waits_for": waits_for,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calibration import Calibration  # noqa: PLC0415
        from ..models.cost import Cost  # noqa: PLC0415
        from ..models.planned_later import PlannedLater  # noqa: PLC0415
        from ..models.prediction import Prediction  # noqa: PLC0415
        from ..models.run_now_prediction_errors import RunNowPredictionErrors  # noqa: PLC0415
        from ..models.run_now_skipped_reasons import RunNowSkippedReasons  # noqa: PLC0415
        from ..models.time_estimate import TimeEstimate  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_base_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        base_snapshot_id = _parse_base_snapshot_id(d.pop("base_snapshot_id"))

        def _parse_calibration(data: object) -> Calibration | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                calibration_type_0 = Calibration.from_dict(data)

                return calibration_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Calibration | None, data)

        calibration = _parse_calibration(d.pop("calibration"))

        def _parse_cost(data: object) -> Cost | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                cost_type_0 = Cost.from_dict(data)

                return cost_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Cost | None, data)

        cost = _parse_cost(d.pop("cost"))

        def _parse_deferred_groups(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        deferred_groups = _parse_deferred_groups(d.pop("deferred_groups"))

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        def _parse_groups_total(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        groups_total = _parse_groups_total(d.pop("groups_total"))

        def _parse_later(data: object) -> None | PlannedLater:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                later_type_0 = PlannedLater.from_dict(data)

                return later_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PlannedLater, data)

        later = _parse_later(d.pop("later"))

        outcome = RunNowOutcome(d.pop("outcome"))

        def _parse_plan_hash(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        plan_hash = _parse_plan_hash(d.pop("plan_hash"))

        def _parse_prediction(data: object) -> None | Prediction:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                prediction_type_0 = Prediction.from_dict(data)

                return prediction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Prediction, data)

        prediction = _parse_prediction(d.pop("prediction"))

        prediction_errors = RunNowPredictionErrors.from_dict(d.pop("prediction_errors"))

        def _parse_schema_id(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        schema_id = _parse_schema_id(d.pop("schema_id"))

        def _parse_shrunk_partitions(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        shrunk_partitions = _parse_shrunk_partitions(d.pop("shrunk_partitions"))

        skipped_reasons = RunNowSkippedReasons.from_dict(d.pop("skipped_reasons"))

        def _parse_skipped_total(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        skipped_total = _parse_skipped_total(d.pop("skipped_total"))

        def _parse_time_estimate(data: object) -> None | TimeEstimate:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                time_estimate_type_0 = TimeEstimate.from_dict(data)

                return time_estimate_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TimeEstimate, data)

        time_estimate = _parse_time_estimate(d.pop("time_estimate"))

        waits_for = cast(list[str], d.pop("waits_for"))

        run_now = cls(
            base_snapshot_id=base_snapshot_id,
            calibration=calibration,
            cost=cost,
            deferred_groups=deferred_groups,
            detail=detail,
            groups_total=groups_total,
            later=later,
            outcome=outcome,
            plan_hash=plan_hash,
            prediction=prediction,
            prediction_errors=prediction_errors,
            schema_id=schema_id,
            shrunk_partitions=shrunk_partitions,
            skipped_reasons=skipped_reasons,
            skipped_total=skipped_total,
            time_estimate=time_estimate,
            waits_for=waits_for,
        )

        run_now.additional_properties = d
        return run_now

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
