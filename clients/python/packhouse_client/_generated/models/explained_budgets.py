# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.explained_day import ExplainedDay
    from ..models.explained_parallel_runs import ExplainedParallelRuns
    from ..models.rates import Rates


T = TypeVar("T", bound="ExplainedBudgets")


@_attrs_define
class ExplainedBudgets:
    """Budget of a run: the strictest limits of its table, catalog and fleet, while no other run is active."""

    bytes_per_day: ExplainedDay
    """ Bytes of inputs in rolling 24 hours; null is unlimited. """
    bytes_per_second: float | None
    """ Bytes read and written per second; null: no limit. """
    fleet_share: Rates
    """ Rates to hold; null is unlimited. """
    parallel_groups: int
    """ File groups that a run rewrites at the same time. """
    parallel_runs: ExplainedParallelRuns
    """ Number of running runs in the whole fleet and in the table's catalog. """
    policy: Rates
    """ Rates to hold; null is unlimited. """
    requests_per_second: float | None
    """ Requests to the store per second; null: no limit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_per_day = self.bytes_per_day.to_dict()

        bytes_per_second: float | None
        bytes_per_second = self.bytes_per_second

        fleet_share = self.fleet_share.to_dict()

        parallel_groups = self.parallel_groups

        parallel_runs = self.parallel_runs.to_dict()

        policy = self.policy.to_dict()

        requests_per_second: float | None
        requests_per_second = self.requests_per_second

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes_per_day": bytes_per_day,
                "bytes_per_second": bytes_per_second,
                "fleet_share": fleet_share,
                "parallel_groups": parallel_groups,
                "parallel_runs": parallel_runs,
                "policy": policy,
                "requests_per_second": requests_per_second,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.explained_day import ExplainedDay  # noqa: PLC0415
        from ..models.explained_parallel_runs import ExplainedParallelRuns  # noqa: PLC0415
        from ..models.rates import Rates  # noqa: PLC0415

        d = dict(src_dict)
        bytes_per_day = ExplainedDay.from_dict(d.pop("bytes_per_day"))

        def _parse_bytes_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        bytes_per_second = _parse_bytes_per_second(d.pop("bytes_per_second"))

        fleet_share = Rates.from_dict(d.pop("fleet_share"))

        parallel_groups = d.pop("parallel_groups")

        parallel_runs = ExplainedParallelRuns.from_dict(d.pop("parallel_runs"))

        policy = Rates.from_dict(d.pop("policy"))

        def _parse_requests_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        requests_per_second = _parse_requests_per_second(d.pop("requests_per_second"))

        explained_budgets = cls(
            bytes_per_day=bytes_per_day,
            bytes_per_second=bytes_per_second,
            fleet_share=fleet_share,
            parallel_groups=parallel_groups,
            parallel_runs=parallel_runs,
            policy=policy,
            requests_per_second=requests_per_second,
        )

        explained_budgets.additional_properties = d
        return explained_budgets

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
