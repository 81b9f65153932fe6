"""Dagster integration of Packhouse: a resource, and factories of assets, ops, asset checks and a sensor."""

from packhouse_dagster.checks import health_check
from packhouse_dagster.definitions import compaction_asset, compaction_op
from packhouse_dagster.resources import PackhouseResource
from packhouse_dagster.runs import RunRequest
from packhouse_dagster.sensors import run_sensor

__all__ = ["PackhouseResource", "RunRequest", "compaction_asset", "compaction_op", "health_check", "run_sensor"]
