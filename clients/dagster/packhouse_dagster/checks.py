"""`health_check`: an asset check that measures the health of a table."""

from typing import Any

from dagster import AssetCheckExecutionContext, AssetCheckResult, AssetChecksDefinition, AssetCheckSeverity, asset_check

from packhouse_dagster.resources import PackhouseResource


def health_check(
    asset: Any,
    *,
    table: str,
    least_score: int | None = None,
    most_small_files: int | None = None,
    name: str = "table_health",
    blocking: bool = False,
    severity: AssetCheckSeverity = AssetCheckSeverity.WARN,
    resource_key: str = "packhouse",
) -> AssetChecksDefinition:
    """Return a check of an asset that passes if its table keeps each bound that is given.

    Args:
        asset: the asset, or its key.
        table: id or address of the table.
        least_score: the lowest health score, 0 to 100.
        most_small_files: the highest number of small files.
        name: name of the check.
        blocking: keep assets after it from being materialized if it fails.
        severity: of a failed check.
        resource_key: name of the `PackhouseResource`.

    Raises:
        ValueError: no bound is given.
    """
    if least_score is None and most_small_files is None:
        raise ValueError("a bound is missing: give least_score or most_small_files")

    @asset_check(asset=asset, name=name, blocking=blocking, required_resource_keys={resource_key})
    def table_health(context: AssetCheckExecutionContext) -> AssetCheckResult:
        packhouse: PackhouseResource = getattr(context.resources, resource_key)
        with packhouse.client() as client:
            health = client.tables.health(table)
        measured = {
            "score": health.score,
            "small_file_count": health.small_file_count,
            "file_count": health.file_count,
            "avoidable_file_count": health.avoidable_file_count,
            "is_due": health.due.is_due,
        }
        is_good = (least_score is None or health.score >= least_score) and (
            most_small_files is None or health.small_file_count <= most_small_files
        )
        return AssetCheckResult(passed=is_good, severity=severity, metadata=measured)

    return table_health
