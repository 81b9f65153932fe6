"""`run_sensor`: every succeeded run of a table, also one that Packhouse started, is a materialization of an asset."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from dagster import (
    AssetKey,
    AssetMaterialization,
    DefaultSensorStatus,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    sensor,
)
from packhouse_client import Packhouse

from packhouse_dagster.resources import PackhouseResource
from packhouse_dagster.runs import metadata_of

if TYPE_CHECKING:
    from packhouse_client.models import RunDetail

_LIVE: Final = "queued,planning,rewriting,committing"


def run_sensor(
    assets: Mapping[str, AssetKey | str],
    *,
    name: str = "packhouse_runs",
    minimum_interval_seconds: int = 60,
    default_status: DefaultSensorStatus = DefaultSensorStatus.STOPPED,
    resource_key: str = "packhouse",
) -> SensorDefinition:
    """Return a sensor that reports each succeeded run of the tables as a materialization of their assets, once.

    The first look reports nothing: it begins with the runs that are live or start afterwards.

    Args:
        assets: keys of assets by address of the table.
        name: name of the sensor.
        minimum_interval_seconds: seconds between two looks.
        default_status: whether it is on as soon as it is deployed.
        resource_key: name of the `PackhouseResource`.
    """

    @sensor(
        name=name,
        minimum_interval_seconds=minimum_interval_seconds,
        default_status=default_status,
        required_resource_keys={resource_key},
    )
    def ended_runs(context: SensorEvaluationContext) -> SensorResult:
        packhouse: PackhouseResource = getattr(context.resources, resource_key)
        cursors: dict[str, Any] = json.loads(context.cursor or "{}")
        events: list[AssetMaterialization] = []
        with packhouse.client() as client:
            for table, key in assets.items():
                ended, cursors[table] = _look(client, table, cursors.get(table))
                found = AssetKey.from_coercible(key)
                events += [AssetMaterialization(found, metadata=metadata_of(run, packhouse)) for run in ended]
        return SensorResult(asset_events=events, cursor=json.dumps(cursors))

    return ended_runs


def _look(client: Packhouse, table: str, cursor: Any) -> "tuple[list[RunDetail], dict[str, Any]]":
    """Return the runs of a table that have succeeded since the look that left the cursor, and the next cursor.

    A cursor has the newest run, and those that were live. Ids of runs grow with time.
    """
    if cursor is None:
        first = next(iter(client.runs.list(table_id=table)), None)
        live = [run.id for run in client.runs.list(table_id=table, state=_LIVE)]
        return [], {"newest": first.id if first else "", "live": live}
    newest, live, started = cursor["newest"], cursor["live"], []
    for run in client.runs.list(table_id=table):
        if run.id <= newest:
            break
        started.append(run)
    looked_at = [client.runs.get(run_id) for run_id in (*live, *(run.id for run in reversed(started)))]
    ended = [run for run in looked_at if run.state == "succeeded"]
    still = [run.id for run in looked_at if not run.is_terminal]
    return ended, {"newest": max((newest, *(run.id for run in started))), "live": still}
