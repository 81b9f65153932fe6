"""Results of tasks as groups to commit."""

from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.plans import FileGroup
from engine.formats.base import WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.rewriting.kernel.contract import GroupResult, TaskInput
from engine.rewriting.kernel.task import rewrite_group
from tests.support.iceberg_tables import task_of


def written_by_kernel(opened: IcebergTable, group: FileGroup, *, attempt: int = 1) -> WrittenGroup:
    """Run the kernel on a group in this process, and return the group as the record has it then."""
    return written_group(group, rewrite_group(task_of(opened, group, attempt=attempt).to_json()))


def written_group(group: FileGroup, result_json: str) -> WrittenGroup:
    """Return a group with the outputs of its task."""
    result = GroupResult.from_json(result_json)
    assert (result.outcome, result.reason) == ("written", None), result.reason
    outputs = tuple(
        OutputFile(each.path, each.file_bytes, each.record_count, each.footer, each.partition)
        for each in result.outputs
    )
    return WrittenGroup(
        ordinal=group.ordinal,
        spec_id=group.spec_id,
        partition=group.partition,
        inputs=group.inputs if result.inputs is None else tuple(map(_chosen, result.inputs)),
        outputs=outputs,
        rows_deleted=result.rows_deleted,
        output_spec_id=group.output_spec_id,
        message=result.message,
    )


def _chosen(file: TaskInput) -> InputFile:
    return InputFile(file.path, file.file_bytes, file.record_count, 0)
