"""Factories: an asset that is compacted when it is materialized, and an op that runs an operation."""

from collections.abc import Iterable, Mapping
from typing import Any

from dagster import (
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AutomationCondition,
    MaterializeResult,
    OpDefinition,
    OpExecutionContext,
    RetryPolicy,
    asset,
    op,
)

from packhouse_dagster.resources import PackhouseResource
from packhouse_dagster.runs import RunRequest, metadata_of, run_to_its_end


def compaction_asset(
    request: RunRequest,
    *,
    key: AssetKey | str | None = None,
    deps: Iterable[Any] = (),
    group_name: str | None = None,
    retry_policy: RetryPolicy | None = None,
    automation_condition: "AutomationCondition[AssetKey] | None" = None,
    resource_key: str = "packhouse",
    tags: Mapping[str, str] | None = None,
) -> AssetsDefinition:
    """Return an asset whose materialization runs the request; the figures of the run are its metadata.

    Args:
        request: table and operation.
        key: of the asset; by default the address of the table and `compacted`: `lake/shop/orders/compacted`.
        deps: assets that write to the table.
        group_name: group of the asset.
        retry_policy: retries of the step, which find the run of the try before.
        automation_condition: when Dagster materializes it.
        resource_key: name of the `PackhouseResource`.
        tags: tags of the asset.
    """
    made_key = AssetKey([*request.table.split("."), "compacted"]) if key is None else AssetKey.from_coercible(key)

    @asset(
        key=made_key,
        deps=list(deps),
        group_name=group_name,
        retry_policy=retry_policy,
        automation_condition=automation_condition,
        required_resource_keys={resource_key},
        kinds={"packhouse"},
        tags=tags,
        description=f"Runs {request.operation} on {request.table} and waits for its end.",
    )
    def compacted(context: AssetExecutionContext) -> MaterializeResult[Any]:
        packhouse: PackhouseResource = getattr(context.resources, resource_key)
        run = run_to_its_end(context.op_execution_context, packhouse, request)
        return MaterializeResult(metadata=metadata_of(run, packhouse))

    return compacted


def compaction_op(
    request: RunRequest, *, name: str, retry_policy: RetryPolicy | None = None, resource_key: str = "packhouse"
) -> OpDefinition:
    """Return an op that runs the request; its output has `run_id`, `state`, `table` and the figures of the run."""

    @op(name=name, retry_policy=retry_policy, required_resource_keys={resource_key})
    def compact(context: OpExecutionContext) -> dict[str, Any]:
        packhouse: PackhouseResource = getattr(context.resources, resource_key)
        figures = metadata_of(run_to_its_end(context, packhouse, request), packhouse)
        context.add_output_metadata(figures)
        return {**figures, "run": packhouse.run_url(figures["run_id"])}

    return compact
