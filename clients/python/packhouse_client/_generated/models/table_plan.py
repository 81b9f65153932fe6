# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.calibration import Calibration
    from ..models.condition import Condition
    from ..models.due_state import DueState
    from ..models.planned_group import PlannedGroup
    from ..models.planned_later import PlannedLater
    from ..models.prediction import Prediction
    from ..models.skipped_partition import SkippedPartition
    from ..models.time_estimate import TimeEstimate


T = TypeVar("T", bound="TablePlan")


@_attrs_define
class TablePlan:
    """Plan of a run that starts now. Nothing was changed."""

    base_snapshot_id: None | str
    """ Snapshot that the plan was made on; null for a table without snapshots. """
    calibration: Calibration
    """ Corrections of the predicted sizes of outputs: measured by predicted, the median of the table's last ten
    runs. """
    conditions: list[Condition]
    """ Conditions that were checked. """
    deferred_groups: int
    """ File groups that are left for later: they exceed the rest of `limits.bytes_per_day`. """
    due: DueState
    """ Judgment of the policy's rules on the table now, with reasons. """
    eligible: bool
    """ True when every condition holds. """
    enabled: bool
    """ Whether the policy allows automatic runs. """
    groups: list[PlannedGroup]
    """ The first thousand. """
    groups_total: int
    """ File groups of the plan. """
    later: PlannedLater
    """ Partitions that the run plans later: it rewrites those of a very large table in parts, most beneficial
    first. """
    plan_hash: str
    """ The same on the same snapshot and policy. """
    prediction: Prediction
    """ Predicted figures of the plan's execution. """
    schema_id: int
    """ Id of the table's schema. """
    shrunk_partitions: int
    """ Partitions with smaller groups than the policy's, after lost races. """
    skipped: list[SkippedPartition]
    """ The first thousand. """
    skipped_total: int
    """ Partitions that the plan leaves alone. """
    table_id: str
    """ Id of the registered table. """
    time_estimate: TimeEstimate
    """ Costs that seconds were predicted with: `run + (groups * group + files * file + bytes * byte) / lanes`.

    The part after `run` takes at least as long as the limits allow. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        base_snapshot_id: None | str
        base_snapshot_id = self.base_snapshot_id

        calibration = self.calibration.to_dict()

        conditions = []
        for conditions_item_data in self.conditions:
            conditions_item = conditions_item_data.to_dict()
            conditions.append(conditions_item)

        deferred_groups = self.deferred_groups

        due = self.due.to_dict()

        eligible = self.eligible

        enabled = self.enabled

        groups = []
        for groups_item_data in self.groups:
            groups_item = groups_item_data.to_dict()
            groups.append(groups_item)

        groups_total = self.groups_total

        later = self.later.to_dict()

        plan_hash = self.plan_hash

        prediction = self.prediction.to_dict()

        schema_id = self.schema_id

        shrunk_partitions = self.shrunk_partitions

        skipped = []
        for skipped_item_data in self.skipped:
            skipped_item = skipped_item_data.to_dict()
            skipped.append(skipped_item)

        skipped_total = self.skipped_total

        table_id = self.table_id

        time_estimate = self.time_estimate.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "base_snapshot_id": base_snapshot_id,
                "calibration": calibration,
                "conditions": conditions,
                "deferred_groups": deferred_groups,
                "due": due,
                "eligible": eligible,
                "enabled": enabled,
                "groups": groups,
                "groups_total": groups_total,
                "later": later,
                "plan_hash": plan_hash,
                "prediction": prediction,
                "schema_id": schema_id,
                "shrunk_partitions": shrunk_partitions,
                "skipped": skipped,
                "skipped_total": skipped_total,
                "table_id": table_id,
                "time_estimate": time_estimate,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.calibration import Calibration  # noqa: PLC0415
        from ..models.condition import Condition  # noqa: PLC0415
        from ..models.due_state import DueState  # noqa: PLC0415
        from ..models.planned_group import PlannedGroup  # noqa: PLC0415
        from ..models.planned_later import PlannedLater  # noqa: PLC0415
        from ..models.prediction import Prediction  # noqa: PLC0415
        from ..models.skipped_partition import SkippedPartition  # noqa: PLC0415
        from ..models.time_estimate import TimeEstimate  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_base_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        base_snapshot_id = _parse_base_snapshot_id(d.pop("base_snapshot_id"))

        calibration = Calibration.from_dict(d.pop("calibration"))

        conditions = []
        _conditions = d.pop("conditions")
        for conditions_item_data in _conditions:
            conditions_item = Condition.from_dict(conditions_item_data)

            conditions.append(conditions_item)

        deferred_groups = d.pop("deferred_groups")

        due = DueState.from_dict(d.pop("due"))

        eligible = d.pop("eligible")

        enabled = d.pop("enabled")

        groups = []
        _groups = d.pop("groups")
        for groups_item_data in _groups:
            groups_item = PlannedGroup.from_dict(groups_item_data)

            groups.append(groups_item)

        groups_total = d.pop("groups_total")

        later = PlannedLater.from_dict(d.pop("later"))

        plan_hash = d.pop("plan_hash")

        prediction = Prediction.from_dict(d.pop("prediction"))

        schema_id = d.pop("schema_id")

        shrunk_partitions = d.pop("shrunk_partitions")

        skipped = []
        _skipped = d.pop("skipped")
        for skipped_item_data in _skipped:
            skipped_item = SkippedPartition.from_dict(skipped_item_data)

            skipped.append(skipped_item)

        skipped_total = d.pop("skipped_total")

        table_id = d.pop("table_id")

        time_estimate = TimeEstimate.from_dict(d.pop("time_estimate"))

        table_plan = cls(
            base_snapshot_id=base_snapshot_id,
            calibration=calibration,
            conditions=conditions,
            deferred_groups=deferred_groups,
            due=due,
            eligible=eligible,
            enabled=enabled,
            groups=groups,
            groups_total=groups_total,
            later=later,
            plan_hash=plan_hash,
            prediction=prediction,
            schema_id=schema_id,
            shrunk_partitions=shrunk_partitions,
            skipped=skipped,
            skipped_total=skipped_total,
            table_id=table_id,
            time_estimate=time_estimate,
        )

        table_plan.additional_properties = d
        return table_plan

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
