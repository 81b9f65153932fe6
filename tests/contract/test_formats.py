"""The contract of table formats (`engine/formats/base`), kept by each of them.

Subjects: Iceberg; the plain format of `tests/support/plain`, without field ids; the simulation's model; Paimon, by its
own core; and Hive, in a Metastore and in Glue. Each test gets a new table with two partitions of three files.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.errors import CommitConflict, InvalidInput, LeaseLost, NotFound
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import Operation
from engine.domain.tables.predicates import Comparison, Op
from engine.domain.tables.table import TableRef
from engine.formats.base import (
    CatalogConnection,
    CommitDefaults,
    CommitRequest,
    Engine,
    GroupSettings,
    OpenTable,
    RewriteEngine,
    SnapshotKind,
    WrittenGroup,
)
from engine.planning.measures.digest import FILE_DIGEST
from engine.planning.plans.predicates import select_partitions
from engine.rewriting.kernel.contract import SentTask, WriteSettings
from tests.simulation.world import Machine, open_machine, open_world
from tests.support.format_subjects import (
    DAYS,
    REF,
    RUN,
    HiveSubject,
    IcebergSubject,
    ModelSubject,
    PaimonSubject,
    PlainSubject,
    Subject,
)
from tests.support.hive.lakes import HiveLake
from tests.support.kernel_groups import written_group
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rest_lakes import RestLake
from tests.support.plain.lake import PlainLake
from tests.support.world import make_lake

OTHER_RUN = "run_2"
WRITE = WriteSettings(target_file_bytes=32 * 2**20)
Part = Callable[[Subject], None]
CONTRACT: list[Part] = []
OF_REWRITES: list[Part] = []


def contract(part: Part) -> Part:
    """Register a part of the contract; it is played on every subject."""
    CONTRACT.append(part)
    return part


def contract_of_rewrites(part: Part) -> Part:
    """Register a part of the contract of tables that can be rewritten."""
    OF_REWRITES.append(part)
    return part


def connect(subject: Subject) -> CatalogConnection:
    return subject.format.connect("lake", subject.properties)


def opened(subject: Subject) -> OpenTable:
    return connect(subject).open_table(REF)


def engine_of(subject: Subject, table: OpenTable) -> RewriteEngine:
    by_core = isinstance(subject, PaimonSubject) and not subject.by_kernel
    return table.engines[Engine.NATIVE if by_core else Engine.ARROW]


@contract
def every_operation_is_possible_or_has_a_reason(subject: Subject) -> None:
    capabilities = subject.format.capabilities()
    assert capabilities.is_served
    assert {cell.operation for cell in capabilities.cells} == set(Operation)
    assert all(cell.capability.possible or cell.capability.reason for cell in capabilities.cells)


@contract
def roles_are_those_of_the_capabilities(subject: Subject) -> None:
    capabilities, table = subject.format.capabilities(), opened(subject)
    natively = [cell for cell in capabilities.cells if cell.engine == "native" and cell.capability.possible]
    if not isinstance(subject, ModelSubject):  # has Iceberg's capabilities, but neither its procedure nor delete files
        assert list(table.engines) == ([Engine.ARROW, Engine.NATIVE] if natively else [Engine.ARROW])
        assert (table.delete_rewrite is not None) is capabilities.operation(Operation.REWRITE_DELETES).possible
    assert [each.traits.name for each in table.engines.values()] == list(table.engines)
    assert capabilities.operation(Operation.REWRITE).possible
    assert (table.expiry is not None) is capabilities.operation(Operation.EXPIRE_SNAPSHOTS).possible
    deletes = [Operation.EXPIRE_SNAPSHOTS, Operation.DELETE_OLD_COMPACTIONS, Operation.PURGE]
    has_removal = table.expired_removal is not None or table.copy_removal is not None
    assert has_removal is any(capabilities.operation(each).possible for each in deletes)
    assert (table.manifest_rewrite is not None) is capabilities.operation(Operation.REWRITE_MANIFESTS).possible
    assert (table.orphan_removal is not None) is capabilities.operation(Operation.REMOVE_ORPHANS).possible


@contract
def writers_put_files_into_the_tables_location_first_and_a_reported_change_makes_none(subject: Subject) -> None:
    connection, table = connect(subject), opened(subject)
    assert table.data_locations[0] == table.location
    connection.expect_changes([REF])
    assert connection.pointers([REF]) == {REF: table.pointer}


@contract
def properties_are_validated_without_a_connection(subject: Subject) -> None:
    subject.format.validate(subject.properties)
    if isinstance(subject, ModelSubject):
        return
    with pytest.raises(InvalidInput) as caught:
        subject.format.validate({})
    assert all(problem.pointer.startswith("/properties/") for problem in caught.value.problems)
    assert not subject.format.plain_properties().have("any.unknown-secret")


@contract
def a_catalog_lists_and_checks_its_tables(subject: Subject) -> None:
    connection = connect(subject)
    connection.ping()
    assert all(step.ok for step in connection.check())
    if isinstance(subject, ModelSubject):
        return
    found = connection.list_tables(10)
    assert (found.identifiers, found.is_truncated) == ((("lake", "events"),), False)
    assert connection.list_tables(10, lambda namespace: list(namespace) != ["lake"]).identifiers == ()


@contract
def an_earlier_snapshot_has_its_files_as_long_as_the_table_has_it(subject: Subject) -> None:
    first = opened(subject)
    assert first.head_snapshot_id is not None
    subject.append(DAYS[0])
    later = opened(subject)
    assert later.at_snapshot(first.head_snapshot_id + 1000) is None
    earlier = later.at_snapshot(first.head_snapshot_id)
    if isinstance(subject, IcebergSubject | PaimonSubject):
        assert earlier is not None
        assert earlier.head_snapshot_id == first.head_snapshot_id
        assert sorted(earlier.digest()["path"].to_pylist()) == sorted(first.digest()["path"].to_pylist())
        assert later.digest().num_rows > earlier.digest().num_rows
        committed = [each.figures().committed_at_ms[first.head_snapshot_id] for each in (first, earlier)]
        assert committed[0] == committed[1]
    else:
        assert earlier is None


@contract
def pointers_change_with_every_commit_and_lack_what_is_missing(subject: Subject) -> None:
    connection, missing = connect(subject), TableRef("lake", ("lake",), "none")
    before = connection.pointers([REF, missing])
    assert before == {REF: connection.open_table(REF).pointer}
    subject.append(DAYS[0])
    after = connection.pointers([REF])
    assert after[REF] != before[REF]
    with pytest.raises(NotFound):
        connection.open_table(missing)


@contract
def a_view_stays_and_another_sees_what_came_since(subject: Subject) -> None:
    table = opened(subject)
    before, files = table.head_snapshot_id, table.digest()
    subject.append(DAYS[0])
    assert (table.head_snapshot_id, table.digest()) == (before, files)
    later = opened(subject)
    assert later.head_snapshot_id != before
    assert later.uuid == table.uuid
    assert later.ref == REF
    assert later.digest().num_rows == files.num_rows + 1
    later.read_storage()


@contract
def a_table_is_described_in_json(subject: Subject) -> None:
    table = opened(subject)
    described = json.loads(json.dumps(table.describe()))
    assert described["uuid"] == table.uuid
    assert {each["name"] for each in described["columns"]} <= set(table.column_names())
    (current,) = [each for each in described["specs"] if each["spec_id"] == described["default_spec_id"]]
    fields = [(each["column"], each["transform"]) for each in current["fields"]]
    stated = [(each.column, each.transform) for spec in table.partition_specs()[-1:] for each in spec.fields]
    assert fields == stated
    assert table.location in table.locations
    assert set(map(type, table.policy_properties())) <= {str}
    assert {column.name for column in table.columns()} <= set(table.column_names())


@contract_of_rewrites
def history_is_newest_first_and_says_what_each_commit_did(subject: Subject) -> None:
    if not subject.has_history:
        return
    subject.remove(DAYS[1])
    outcome = committed(subject, DAYS[:1])
    newest = opened(subject).snapshots(3)
    kinds = [each.kind for each in newest]
    assert kinds == [SnapshotKind.REWRITE, SnapshotKind.CHANGE, SnapshotKind.APPEND]
    assert newest[0].snapshot_id == outcome
    assert newest[0].parent_id == newest[1].snapshot_id
    assert newest[0].compactor is None
    assert newest[0].committed_at_ms >= newest[1].committed_at_ms >= newest[2].committed_at_ms


@contract
def the_digest_has_one_row_a_live_file(subject: Subject) -> None:
    table = opened(subject)
    digest = table.digest()
    assert digest.schema.equals(FILE_DIGEST)
    rows = digest.to_pylist()
    assert len({row["path"] for row in rows}) == len(rows) == 6
    assert sorted({json.loads(row["partition"])["day"] for row in rows}) == list(DAYS)
    inputs = table.group_inputs([row["path"] for row in rows])
    assert {path: one.file_bytes for path, one in inputs.items()} == {row["path"]: row["file_bytes"] for row in rows}
    if subject.has_history:
        assert [inputs[row["path"]].record_count for row in rows] == [row["record_count"] for row in rows]
    if (ids := subject.ids()) is not None:
        assert sum(one.record_count for one in inputs.values()) == len(ids)
    measured = table.figures()
    assert measured.snapshot_count >= 1
    assert set(measured.times) <= {row["spec_id"] for row in rows}
    assert [spec.spec_id for spec in table.partition_specs()][-1:] in ([], [table.current_spec_id])
    is_possible = subject.format.capabilities().operation(Operation.REWRITE).possible
    engine = engine_of(subject, table)
    assert engine.digest().select(["path", "file_bytes"]) == digest.select(["path", "file_bytes"])
    assert all(condition.holds for condition in engine.conditions()) is is_possible


@contract
def history_is_newest_first(subject: Subject) -> None:
    subject.remove(DAYS[1])
    newest = opened(subject).snapshots(2)
    if not subject.has_history:
        assert [(each.kind, each.parent_id) for each in newest] == [(SnapshotKind.UNKNOWN, None)]
        assert newest[0].snapshot_id == opened(subject).head_snapshot_id
        return
    assert [each.kind for each in newest] == [SnapshotKind.CHANGE, SnapshotKind.APPEND]
    assert newest[0].parent_id == newest[1].snapshot_id
    assert newest[0].committed_at_ms >= newest[1].committed_at_ms


@contract
def partitions_are_selected_by_their_columns(subject: Subject) -> None:
    table = opened(subject)
    if not table.partition_specs():
        return  # the model's tables are never asked with predicates
    wanted = Comparison(column="day", op=Op.EQ, value=DAYS[0])
    found = select_partitions(table.digest(), wanted, table.partition_specs())
    assert {json.loads(row["partition"])["day"] for row in found.to_pylist()} == {DAYS[0]}


@contract
def a_file_that_is_gone_is_a_conflict(subject: Subject) -> None:
    paths = opened(subject).digest()["path"].to_pylist()
    subject.remove(DAYS[1])
    if isinstance(subject, ModelSubject):
        return
    with pytest.raises(CommitConflict):
        opened(subject).group_inputs(paths)


@contract_of_rewrites
def a_rewrite_is_committed_found_and_proven(subject: Subject) -> None:
    ids, table = subject.ids(), opened(subject)
    request = request_of(subject, table, DAYS)
    outcome = table.commits.commit(request, before_try=lambda: None)
    assert (outcome.committed, dict(outcome.dropped)) == ((0, 1), {})
    assert outcome.snapshot_id is not None
    proof = opened(subject).commits.prove(outcome.snapshot_id, request.groups)
    assert proof.ok, proof.checks
    assert (proof.removed_files, proof.added_files) == (6, 2)
    assert proof.removed_rows == proof.added_rows
    (found,) = opened(subject).commits.find(RUN)
    assert (found.snapshot_id, found.groups, found.attempt) == (outcome.snapshot_id, (0, 1), 1)
    assert opened(subject).commits.find(OTHER_RUN) == []
    assert set(opened(subject).digest()["path"].to_pylist()) == outputs_of(request)
    assert subject.ids() == ids


@contract_of_rewrites
def a_proof_fails_for_other_groups(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    first, second = request.groups
    if table.commits.are_apart:
        snapshot_id = table.commits.commit(replace(request, groups=(first,)), before_try=lambda: None).snapshot_id
        assert snapshot_id is not None
        assert not any(opened(subject).commits.prove(snapshot_id, groups).ok for groups in [(second,), (first, second)])
        assert opened(subject).commits.prove(snapshot_id, (first,)).ok
        return
    snapshot_id = table.commits.commit(request, before_try=lambda: None).snapshot_id
    assert snapshot_id is not None
    assert not opened(subject).commits.prove(snapshot_id, (first,)).ok
    swapped = (replace(first, outputs=second.outputs), replace(second, outputs=first.outputs[:0]))
    assert not opened(subject).commits.prove(snapshot_id, swapped).ok


@contract_of_rewrites
def nothing_is_sent_when_the_try_is_stopped(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    with pytest.raises(LeaseLost):
        table.commits.commit(request, before_try=no_lease)
    assert opened(subject).commits.find(RUN) == []
    assert opened(subject).head_snapshot_id == table.head_snapshot_id


@contract_of_rewrites
def groups_whose_files_were_removed_are_dropped_and_the_others_committed(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    subject.remove(DAYS[1])
    ids = subject.ids()
    planned = [planned_group(table, ordinal, day) for ordinal, day in enumerate(DAYS)]
    base = table.head_snapshot_id or 0
    assert opened(subject).commits.lost(base, table.schema_id, planned) == {1: Loss.SOURCE_GONE}
    outcome = opened(subject).commits.commit(request, before_try=lambda: None)
    assert (outcome.committed, dict(outcome.dropped)) == ((0,), {1: Loss.SOURCE_GONE})
    assert outcome.snapshot_id is not None
    assert opened(subject).commits.prove(outcome.snapshot_id, request.groups[:1]).ok
    assert subject.ids() == ids


@contract_of_rewrites
def a_commit_that_is_sent_twice_changes_nothing_the_second_time(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    table.commits.commit(request, before_try=lambda: None)
    head, ids = opened(subject).head_snapshot_id, subject.ids()
    again = opened(subject).commits.commit(request, before_try=lambda: None)
    assert (again.snapshot_id, again.committed, set(again.dropped)) == (None, (), {0, 1})
    assert (opened(subject).head_snapshot_id, subject.ids()) == (head, ids)
    assert len(opened(subject).commits.find(RUN)) == 1


@contract_of_rewrites
def files_that_others_add_meanwhile_stay(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    racing = [lambda: subject.append(DAYS[0])]  # between the last look at the table and the request
    outcome = table.commits.commit(request, before_try=lambda: racing.pop()() if racing else None)
    assert outcome.committed == (0, 1)
    is_once = subject.properties.get("type") == "filesystem"  # Paimon's core, where it commits, tries again itself
    assert outcome.tries == (1 if is_once or not subject.has_history else 2)
    assert opened(subject).digest().num_rows == 3
    rows = opened(subject).digest()["record_count"].to_pylist()
    if (ids := subject.ids()) is not None:
        assert len(set(ids)) == len(ids)
        assert not subject.has_history or sum(rows) == len(ids)


@contract_of_rewrites
def an_unknown_base_is_a_conflict(subject: Subject) -> None:
    if not subject.has_history:
        return  # its commits depend on the files of their groups alone
    table = opened(subject)
    request = replace(request_of(subject, table, DAYS), base_snapshot_id=987_654_321)
    with pytest.raises(CommitConflict):
        table.commits.commit(request, before_try=lambda: None)
    groups = [planned_group(table, 0, DAYS[0])]
    assert table.commits.lost(987_654_321, table.schema_id, groups) == {0: Loss.TABLE_CHANGED}


@contract_of_rewrites
def files_of_a_run_are_found_by_name_and_removed_unless_they_are_needed(subject: Subject) -> None:
    table = opened(subject)
    request = request_of(subject, table, DAYS)
    table.commits.commit(replace(request, groups=request.groups[:1]), before_try=lambda: None)
    live, waste = ({file.path for file in group.outputs} for group in request.groups)
    assert set(opened(subject).commits.list_outputs(RUN)) == live | waste
    assert opened(subject).commits.list_outputs(OTHER_RUN) == []
    assert opened(subject).commits.remove_outputs(RUN, frozenset(), up_to_attempt=0) == 0
    assert opened(subject).commits.remove_outputs(RUN, frozenset(waste), up_to_attempt=1) == 0
    assert opened(subject).commits.remove_outputs(RUN, frozenset(), up_to_attempt=1, is_settled=True) == len(waste)
    assert set(opened(subject).commits.list_outputs(RUN)) == live
    assert opened(subject).commits.remove_outputs(RUN, frozenset(), up_to_attempt=1) == 0


@contract_of_rewrites
def a_parent_can_be_gone_back_to_where_the_format_can(subject: Subject) -> None:
    snapshot_id = committed(subject, DAYS)
    table = opened(subject)
    if type(table.commits).protect_parent is CommitDefaults.protect_parent:
        assert table.commits.protect_parent(RUN, snapshot_id) is None
    else:
        assert table.commits.protect_parent(RUN, snapshot_id) == table.snapshots(2)[1].snapshot_id
        assert opened(subject).head_snapshot_id == snapshot_id


def committed(subject: Subject, days: tuple[str, ...]) -> int:
    """Rewrite and commit partitions; return the snapshot."""
    table = opened(subject)
    found = table.commits.commit(request_of(subject, table, days), before_try=lambda: None).snapshot_id
    assert found is not None
    return found


def request_of(subject: Subject, table: OpenTable, days: tuple[str, ...]) -> CommitRequest:
    """Rewrite each partition into one group, as planned on this view."""
    groups = tuple(written(subject, table, planned_group(table, ordinal, day)) for ordinal, day in enumerate(days))
    return CommitRequest(RUN, 1, table.head_snapshot_id or 0, table.schema_id, groups)


def planned_group(table: OpenTable, ordinal: int, day: str) -> FileGroup:
    mine = [row for row in table.digest().to_pylist() if day in row["partition"]]
    inputs = tuple(table.group_inputs([row["path"] for row in mine]).values())
    return FileGroup(ordinal, mine[0]["spec_id"], mine[0]["partition"], inputs, 1)


def written(subject: Subject, table: OpenTable, group: FileGroup) -> WrittenGroup:
    engine = engine_of(subject, table)
    task = engine.task(group, run_id=RUN, attempt=1, settings=GroupSettings(WRITE))
    return written_group(group, subject.rewrite(SentTask(task, storage=dict(engine.task_storage())).to_json()))


def outputs_of(request: CommitRequest) -> set[str]:
    return {file.path for group in request.groups for file in group.outputs}


def no_lease() -> None:
    raise LeaseLost("another holds it")


every_part = pytest.mark.parametrize("part", [*CONTRACT, *OF_REWRITES], ids=lambda part: part.__name__)
OF_CATALOGS = [
    properties_are_validated_without_a_connection,
    a_catalog_lists_and_checks_its_tables,
    pointers_change_with_every_commit_and_lack_what_is_missing,
    a_rewrite_is_committed_found_and_proven,
    nothing_is_sent_when_the_try_is_stopped,
    a_commit_that_is_sent_twice_changes_nothing_the_second_time,
    files_that_others_add_meanwhile_stay,
]
"""The parts that depend on the catalog: how tables are found, and how commits are sent."""
every_part_of_catalogs = pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=[] if part in OF_CATALOGS else pytest.mark.deep) for part in [*CONTRACT, *OF_REWRITES]],
    ids=lambda part: part.__name__,
)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with open_machine() as started:
        yield started


@every_part
def test_iceberg_tables(part: Part, tmp_path: Path) -> None:
    part(IcebergSubject(make_lake(tmp_path, days=2, files=3)))


@every_part
def test_plain_tables(part: Part, tmp_path: Path) -> None:
    part(PlainSubject(PlainLake.make(tmp_path, days=2, files=3)))


@every_part
def test_paimon_tables(part: Part, paimon_core: PaimonCore, tmp_path: Path) -> None:
    part(PaimonSubject(PaimonLake(paimon_core, tmp_path)))


@pytest.mark.parametrize("part", OF_REWRITES, ids=lambda part: part.__name__)
def test_paimon_tables_by_the_kernel(part: Part, paimon_core: PaimonCore, tmp_path: Path) -> None:
    part(PaimonSubject(PaimonLake(paimon_core, tmp_path), by_kernel=True))


@every_part
@pytest.mark.parametrize("hive_lake", ["metastore", "glue"], indirect=True)
def test_hive_tables(part: Part, hive_lake: HiveLake) -> None:
    part(HiveSubject(hive_lake))


@every_part_of_catalogs
def test_hive_tables_of_other_releases(part: Part, other_lake: HiveLake) -> None:
    part(HiveSubject(other_lake))


@every_part_of_catalogs
def test_paimon_tables_of_a_rest_catalog(part: Part, rest_lake: RestLake) -> None:
    part(PaimonSubject(rest_lake))


@every_part
def test_modelled_tables(part: Part, machine: Machine) -> None:
    with open_world(machine, seed=1) as world:
        world.run(asyncio.to_thread(lambda: part(ModelSubject(world))))
