"""Files that are not in the requested order: what proves an order, what is rewritten for it, and that it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from engine.domain.clock import SystemClock
from engine.domain.ids import IdSource
from engine.domain.policies import PRESETS, EffectivePolicy
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.output_names import output_prefix
from engine.domain.runs.plans import Plan
from engine.domain.runs.requests import RunRequest
from engine.domain.tables.orders import OrderField, RequestedOrder, RowOrdering
from engine.formats.base import NoParts
from engine.planning.due.evaluations import Evaluation, evaluate_policy
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.measures.partitions import partition_files
from engine.planning.plans.candidates import SkipReason, find_candidates
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.services.planning.planner import plan_due, plan_run
from tests.support import planning
from tests.support.digests import DigestFile, digest_of, inputs_of
from tests.support.planning import chosen_of, policy_of

MIB = 2**20
SMALL, GOOD = 10 * MIB, 120 * MIB
RUN = f"run_{'0' * 26}"
BY_ID, BY_NOTE = OrderField("id", 1), OrderField("note", 4, descending=True, nulls_first=False)
SORT = RowOrdering("sort", (BY_ID,))
ORDERS = [SORT, RowOrdering("zorder", (BY_ID, BY_NOTE)), RowOrdering("hilbert", (BY_ID, BY_NOTE))]
RULE = {"name": "new order", "all": [{"metric": "unordered_share", "at_least": 0.25}]}
SORTED: dict[str, Any] = {"rewrite": {"strategy": "sort", "columns": ["id"]}}
WEEK_HOURS = 7 * 24


def unordered(order: RowOrdering | None, *files: DigestFile) -> list[bool]:
    found: list[bool] = are_unordered(partition_files(digest_of(files)), order).tolist()
    return found


def named(order: RowOrdering, at: int = 0, file_bytes: int = GOOD, partition: str = "{}") -> DigestFile:
    """A file that a rewrite wrote in an order."""
    return DigestFile(file_bytes, partition, path=f"s3://lake/t/{output_prefix(RUN, at, 1, order.mark)}0.parquet")


@pytest.mark.parametrize("order", ORDERS)
def test_only_the_mark_of_the_order_in_an_outputs_name_or_the_tables_record_is_evidence(order: RowOrdering) -> None:
    other = replace(order, fields=(replace(BY_ID, descending=True), *order.fields[1:]))
    path, mark = named(order).path or "", order.mark
    files = {
        "its own": (named(order), False),
        "another order": (named(other), True),
        "no order": (DigestFile(GOOD, path=f"s3://lake/t/{output_prefix(RUN, 0, 1)}0.parquet"), True),
        "a folder of that name": (DigestFile(GOOD, path=f"s3://lake/{path}/x.parquet"), True),
        "not an output": (DigestFile(GOOD, path=f"s3://lake/part-{mark}-0.parquet"), True),
        "another format": (DigestFile(GOOD, path=path.replace(".parquet", ".orc")), True),
        "recorded": (DigestFile(GOOD, recorded_order=mark), False),
        "recorded as another": (DigestFile(GOOD, recorded_order=other.mark), True),
        "unknown": (DigestFile(GOOD), True),
    }
    assert dict(zip(files, unordered(order, *(file for file, _ in files.values())), strict=True)) == {
        name: expected for name, (_, expected) in files.items()
    }


def test_other_curves_are_another_order_a_new_name_is_not_and_without_an_order_no_file_is_unordered() -> None:
    zorder, hilbert = ORDERS[1:]
    assert unordered(hilbert, named(zorder), named(RowOrdering("sort", zorder.fields))) == [True, True]
    renamed = RowOrdering("sort", (replace(BY_ID, name="key"),))
    assert unordered(renamed, named(SORT)) == [False]
    assert unordered(None, DigestFile(GOOD), named(SORT)) == [False, False]
    assert unordered(SORT) == []


def candidates(*files: DigestFile, order: RowOrdering | None = SORT, **rewrite: Any) -> Any:
    strategy = "binpack" if order is None else order.strategy
    columns = [] if order is None else [each.name for each in order.fields]
    policy = policy_of({"rewrite": {"strategy": strategy, "columns": columns, **rewrite}})
    return find_candidates(partition_files(digest_of(files)), replace(RewriteLimits.of(policy), order=order))


@pytest.mark.parametrize("order", ORDERS)
def test_a_single_file_of_the_right_size_is_a_candidate_for_the_order_alone(order: RowOrdering) -> None:
    chosen = candidates(DigestFile(GOOD), named(order), order=order)
    assert chosen.is_candidate.tolist() == [True, False]
    assert chosen.is_for_order.tolist() == [True, False]
    assert chosen.reasons == (None,)


def test_a_file_that_is_a_candidate_anyway_is_none_for_the_order() -> None:
    small = [DigestFile(SMALL)] * 6
    chosen = candidates(*small, DigestFile(GOOD))
    assert chosen.is_candidate.tolist() == [True] * 7
    assert chosen.is_for_order.tolist() == [False] * 6 + [True]
    few = candidates(*small[:2], min_input_files=5)
    assert few.is_for_order.tolist() == [True, True]


@pytest.mark.parametrize(
    ("file", "rewrite", "reason"),
    [
        (DigestFile(GOOD, is_encrypted=True), {}, SkipReason.ENCRYPTED),
        (DigestFile(GOOD, file_format="orc"), {}, SkipReason.NOT_PARQUET),
        (DigestFile(GOOD, equality_deletes=1), {}, SkipReason.EQUALITY_DELETES),
        (DigestFile(GOOD, is_outside=True), {}, SkipReason.OUTSIDE_FILES),
        (DigestFile(GOOD), {"exclude_above_bytes": "100MiB"}, SkipReason.EXCLUDED_ABOVE),
    ],
)
def test_the_order_is_no_reason_to_take_what_is_not_taken_otherwise(
    file: DigestFile, rewrite: dict[str, Any], reason: SkipReason
) -> None:
    chosen = candidates(file, **rewrite)
    assert (chosen.reasons, chosen.is_candidate.tolist()) == ((reason,), [False])
    found = evaluated(file, policy={"rewrite": {**SORTED["rewrite"], **rewrite}, "triggers": [RULE]})
    assert (found.is_due, dict(found.triggers[0].held_back)) == (False, {str(reason): 1})


@pytest.mark.parametrize("strategy", ["binpack", "tiered", "window"])
def test_strategies_without_an_order_reorder_nothing(strategy: str) -> None:
    chosen = candidates(DigestFile(GOOD), order=None, strategy=strategy)
    assert (chosen.is_candidate.tolist(), chosen.is_for_order.tolist()) == ([False], [False])


def evaluated(*files: DigestFile, policy: Mapping[str, Any], order: RowOrdering | None = SORT) -> Evaluation:
    return planning.evaluated(files, policy, now_ms=1, order=order)


def test_the_metric_is_a_share_of_bytes_in_each_partition() -> None:
    files = [named(SORT, 0, 30 * MIB, "a"), DigestFile(90 * MIB, "a"), named(SORT, 1, GOOD, "b")]
    found = evaluated(*files, policy={**SORTED, "triggers": [RULE]})
    (rule,) = found.triggers
    assert [(at.partition, rule.conditions[0].measured) for at in rule.due] == [("a", 0.75)]
    assert found.reordered.tolist() == [True, False]
    assert found.due_partitions(full=False).tolist() == [True, False]


@pytest.mark.parametrize(
    ("strategy", "measured", "said"), [("binpack", 0.0, None), ("sort", None, "can't be put into the order")]
)
def test_it_is_zero_without_an_order_and_not_measured_for_an_impossible_one(
    strategy: str, measured: float | None, said: str | None
) -> None:
    rule = {"name": "any", "all": [{"metric": "unordered_share", "at_least": 0}]}
    found = evaluated(DigestFile(GOOD), policy={"rewrite": {"strategy": strategy}, "triggers": [rule]}, order=None)
    (condition,) = found.triggers[0].conditions
    assert (condition.measured, found.is_due) == (measured, False)
    assert said is None or said in (condition.detail or "")


@pytest.mark.parametrize("preset", [*PRESETS])
def test_no_preset_goes_by_the_order(preset: str) -> None:
    """A default is a promise: an order alone makes no automatic run rewrite more."""
    needs = {"limits": {"available_bandwidth": "400MB"}} if preset == "artemis" else {}
    old = DigestFile(GOOD)
    found = evaluated(old, old, policy={"preset": preset, **needs, **SORTED})
    assert not any("unordered_share" in str(rule) for rule in found.rules)
    assert not found.reordered.any()


@dataclass
class FakeTable(NoParts):
    """Files by path, and the orders that can be resolved; plans like an open table. Times are in seconds."""

    files: dict[str, DigestFile] = field(default_factory=dict)
    head_snapshot_id: int = 1
    schema_id: int = 0
    written: int = 0

    def add(self, file_bytes: int, partition: str = "{}", *, at: float = 0, path: str | None = None) -> str:
        self.written += 1
        name = path or f"s3://lake/t/{self.written:06}-{self.written}.parquet"
        at_ms = round(1000 * at)
        self.files[name] = DigestFile(
            file_bytes, partition, path=name, added_at_ms=at_ms, data_at_ms=at_ms, sequence_number=self.written
        )
        return name

    def digest(self) -> pa.Table:
        return digest_of(list(self.files.values()))

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        return inputs_of(self.digest())(paths)

    def column_names(self) -> Sequence[str]:
        return ()

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        known = {"id": BY_ID, "note": BY_NOTE}
        return RowOrdering(requested.strategy, tuple(known[column.name] for column in requested.columns))

    def order_ranges(self, _order: RowOrdering, paths: pa.ChunkedArray) -> Any:
        ranks = np.arange(len(paths))
        return [type("Ranges", (), {"lower": ranks, "upper": ranks})()]

    def evaluated(self, policy: EffectivePolicy, history: Sequence[PartitionRewrite], at: float) -> Evaluation:
        requested = RequestedOrder.of(policy.values)
        order = None if requested is None else self.resolve_order(requested)
        figures = TableMeasures(known_since_ms=0)
        now_ms = round(1000 * at)
        return evaluate_policy(self.digest(), figures, RewriteHistory(history), policy, now_ms=now_ms, order=order)

    def commit(self, plan: Plan, *, at: float) -> list[DigestFile]:
        """Replace the inputs of every group as the kernel does; return them."""
        run_id, removed = IdSource(clock=SystemClock()).run_id(), list[DigestFile]()
        for group in plan.groups:
            removed += [self.files.pop(file.path) for file in group.inputs]
            mark = "" if plan.order is None else plan.order.mark
            for number in range(group.predicted_outputs):
                path = f"s3://lake/t/{output_prefix(run_id, group.ordinal, 1, mark)}{number:06}.parquet"
                self.add(group.input_bytes // group.predicted_outputs, group.partition, at=at, path=path)
        return removed


def due_plan(table: FakeTable, policy: EffectivePolicy, history: Sequence[PartitionRewrite], at: float) -> Plan | None:
    found = plan_due(chosen_of(table, policy), table.evaluated(policy, history, at), NO_STATISTICS, NONE_HOT)
    return None if found is None else found.plan


def a_table() -> FakeTable:
    """Three partitions: of large old files, of old and new ones, and one in order already."""
    table = FakeTable()
    for _ in range(4):
        table.add(GOOD, "old")
    for size in (GOOD, SMALL):
        table.add(size, "mixed")
    table.add(GOOD, "done", path=named(SORT).path)
    return table


def test_a_requested_run_takes_every_file_that_is_not_in_order_and_counts_them() -> None:
    table, policy = a_table(), policy_of(SORTED)
    plan = plan_run(chosen_of(table, policy), RunRequest(), NO_STATISTICS, NONE_HOT)
    assert {file.path for group in plan.groups for file in group.inputs} == {
        path for path in table.files if path != named(SORT).path
    }
    assert (plan.unordered_files, plan.reordered_files) == (6, 6)
    assert plan.summary()["reordered_files"] == 6
    table.commit(plan, at=1)
    again = plan_run(chosen_of(table, policy), RunRequest(), NO_STATISTICS, NONE_HOT)
    assert (again.groups, again.unordered_files, again.reordered_files) == ((), 0, 0)


def test_an_automatic_run_takes_them_only_in_partitions_that_a_rule_on_the_order_makes_due() -> None:
    table = a_table()
    for _ in range(5):
        table.add(SMALL, "mixed")
    small = {"name": "small", "all": [{"metric": "small_file_count", "at_least": 5}]}
    policy = policy_of({**SORTED, "triggers": [small]})
    plan = due_plan(table, policy, (), 1)
    assert [(group.partition, group.input_bytes) for group in plan.groups] == [("mixed", 6 * SMALL)]
    assert (plan.unordered_files, plan.reordered_files) == (11, 0)
    both = due_plan(table, policy_of({**SORTED, "triggers": [small, RULE]}), (), 1)
    assert {group.partition for group in both.groups} == {"old", "mixed"}
    assert both.reordered_files == 5


def test_a_run_that_goes_on_finishes_partitions_that_it_began_for_the_order() -> None:
    """Its first groups lower the share below the rule's."""
    table = FakeTable()
    for at in range(10):
        table.add(GOOD, path=named(SORT, at).path if at < 9 else None)
    policy = policy_of({**SORTED, "triggers": [RULE]})
    due, begun = table.evaluated(policy, (), 1), frozenset({(0, "{}")})
    given = {"due": due, "begun": begun}
    chosen, request = chosen_of(table, policy), RunRequest(only_due=True)
    assert not due.is_due
    assert not plan_run(chosen, request, NO_STATISTICS, NONE_HOT, **given).groups  # type: ignore[arg-type]
    plan = plan_run(chosen, request, NO_STATISTICS, NONE_HOT, **given, begun_for_order=True)  # type: ignore[arg-type]
    assert (len(plan.groups), plan.reordered_files) == (1, 1)


@pytest.mark.parametrize(
    ("strategy", "columns"), [("sort", ["id"]), ("sort", ["note", "id"]), ("zorder", ["id", "note"])]
)
@pytest.mark.parametrize("extra", [{}, {"max_ordered_bytes": "256MiB"}, {"max_time_span": "1h"}])
@pytest.mark.parametrize("operand", [{"above": 0}, {"at_least": 0.25}])
def test_every_file_is_put_into_an_order_once_and_the_table_is_then_left_alone_for_a_week(
    strategy: str, columns: list[str], extra: dict[str, Any], operand: dict[str, float]
) -> None:
    rule = {"name": "order", "all": [{"metric": "unordered_share", **operand}]}
    table, at, history = a_table(), 0.0, list[PartitionRewrite]()
    for wanted in (columns, columns[::-1] if columns[1:] else ["note"]):  # a new order, and later another one
        rewrite = {"strategy": strategy, "columns": wanted, "min_input_files": 2, **extra}
        policy = policy_of({"rewrite": rewrite, "triggers": [rule]})
        for arriving in (0, 3):
            for number in range(arriving):
                table.add(GOOD if number else SMALL, "old", at=at)
            at = _settled(table, policy, history, at)
        assert table.evaluated(policy, history, at).due_in_seconds is None
        before = dict(table.files)
        for hours in range(0, WEEK_HOURS, 8):
            assert due_plan(table, policy, history, at + 3600 * hours) is None
        assert table.files == before
        at += 3600 * WEEK_HOURS


def _settled(table: FakeTable, policy: EffectivePolicy, history: list[PartitionRewrite], at: float) -> float:
    """Run what is due every ten minutes until nothing is, and return the time of the end.

    A file that is in the order already is merged with others if it is small, but not rewritten for the order.
    """
    for _ in range(20):
        at += 600
        plan = due_plan(table, policy, history, at)
        if plan is None:
            return at
        assert plan.groups, plan.skipped
        rewritten = table.commit(plan, at=at)
        assert all(file.file_bytes < policy.small_bytes for file in rewritten if plan.order.mark in (file.path or ""))
        history += [PartitionRewrite(g.spec_id, g.partition, round(1000 * at), is_full=False) for g in plan.groups]
    message = f"still due after 20 runs: {len(table.files)} files"
    raise AssertionError(message)
