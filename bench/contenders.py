"""Three ways to compact one table of the lake: ours, Iceberg's procedure, and a bare pyarrow loop."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import uuid4

from bench.kernel import tuned_loop
from bench.lake import CATALOG, NAMESPACE, Lake, table_ref
from engine.domain.files import OutputFile
from engine.domain.plans import FileGroup, Plan
from engine.domain.policies import EffectivePolicy, effective_policy
from engine.formats.base import CommitRequest, OpenTable, WrittenGroup
from engine.planning.file_groups import make_plan
from engine.rewriting.kernel.contract import GroupResult, WriteSettings
from engine.rewriting.kernel.task import rewrite_group

TARGET_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Done:
    """What a contender made of the table."""

    output_files: int
    output_bytes: int


Contender = Callable[[Lake, str], Done]


def ours(lake: Lake, name: str) -> Done:
    """Plan, rewrite through Spark with one task per core, commit, verify; no HTTP, queue and store around it."""
    table = lake.connection.open_table(table_ref(name))
    plan = _plan(lake, table)
    run_id = f"bench-{uuid4().hex[:12]}"
    with ThreadPoolExecutor(lake.cores) as lanes:
        written = list(lanes.map(lambda group: _rewritten(lake, table, group, run_id), plan.groups))
    request = CommitRequest(run_id, 1, plan.base_snapshot_id or 0, plan.schema_id, tuple(written))
    outcome = table.commit(request, before_try=lambda: None)
    if outcome.snapshot_id is None or outcome.dropped:
        raise SystemExit(f"groups were dropped: {outcome.dropped}")
    proof = lake.connection.open_table(table_ref(name)).verify(outcome.snapshot_id, written)
    if not proof.ok:
        raise SystemExit(f"not verified: {proof.checks}")
    return Done(proof.added_files, proof.added_bytes)


def procedure(lake: Lake, name: str) -> Done:
    """Iceberg's `rewrite_data_files` with our target and as many groups at once as cores, else its defaults."""
    options = {"target-file-size-bytes": TARGET_BYTES, "max-concurrent-file-group-rewrites": lake.cores}
    listed = ", ".join(f"'{key}', '{value}'" for key, value in options.items())
    call = f"CALL {CATALOG}.system.rewrite_data_files(table => '{NAMESPACE}.{name}', options => map({listed}))"
    row = lake.spark.sql(call).collect()[0].asDict()
    files = lake.files(name)
    if row["failed_data_files_count"] or row["added_data_files_count"] != len(files):
        raise SystemExit(f"the procedure did not do it all: {row}, {len(files)} files")
    return Done(len(files), sum(size for _, size in files))


def bare_loop(lake: Lake, name: str) -> Done:
    """Read and write with pyarrow on one core: no plan, no commit, no proof."""
    paths = [path for path, _ in lake.files(name)]
    output = paths[0].with_name(f"loop-{uuid4().hex}.parquet")
    try:
        return Done(1, tuned_loop(paths, output))
    finally:
        output.unlink(missing_ok=True)


CONTENDERS: dict[str, Contender] = {"ours": ours, "procedure": procedure, "bare loop": bare_loop}


def _policy(lake: Lake) -> EffectivePolicy:
    wanted = {"rewrite.target_file_bytes": TARGET_BYTES, "limits.parallel_groups": lake.cores}
    return effective_policy(table_properties=wanted, own=None)


def _plan(lake: Lake, table: OpenTable) -> Plan:
    return make_plan(
        table.digest(),
        policy=_policy(lake),
        base_snapshot_id=table.head_snapshot_id,
        schema_id=table.schema_id,
        inputs_of=table.group_inputs,
    )


def _rewritten(lake: Lake, table: OpenTable, group: FileGroup, run_id: str) -> WrittenGroup:
    task = table.group_task(group, run_id=run_id, attempt=1, write=WriteSettings(target_file_bytes=TARGET_BYTES))
    ticket = lake.dispatcher.ticket(run_id, 1, group.ordinal)
    result = GroupResult.from_json(lake.dispatcher.run(ticket, rewrite_group, [task.to_json()])[0])
    if result.outcome != "written":
        raise SystemExit(f"the kernel answered {result.outcome}: {result.reason}")
    outputs: Sequence[OutputFile] = [
        OutputFile(one.path, one.file_bytes, one.record_count, one.footer) for one in result.outputs
    ]
    return WrittenGroup(
        group.ordinal, group.spec_id, group.partition, group.inputs, tuple(outputs), result.rows_deleted
    )
