"""The choice of the engine: the kernel where it may, else the procedure where it can, else none and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from engine.domain.fleet.budgets import Budget
from engine.formats.base import KERNEL_TRAITS, Condition, Engine, EngineTraits, NoParts, OpenTable, ProcedureSettings
from engine.formats.iceberg.rewrite.calls import PROCEDURE, call_options, is_conflict
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.services.planning.engines import BY_NATIVE, TASK_BYTES_PER_SECOND, choose_engine, tasks_within
from tests.support.planning import policy_of

NO_KERNEL = Condition("no_equality_deletes", False, "2 are live")
NO_NAME = Condition("native_spark_catalog", False, "the catalog has no name in Spark")
YES = Condition("main_branch", True, "it is there")


@dataclass
class _Engine:
    """An engine with one condition."""

    traits: EngineTraits
    condition: Condition

    def conditions(self, _order: Any = None, *, moves_to_current_spec: bool = False) -> Sequence[Condition]:
        return [self.condition]


class _Kernel(NoParts):
    """A table of a format without a procedure."""

    def __init__(self, condition: Condition) -> None:
        self.engines = {Engine.ARROW: _Engine(KERNEL_TRAITS, condition)}


class _Either(_Kernel):
    """A table that has one: `native` is its condition."""

    def __init__(self, kernel: Condition, native: Condition) -> None:
        super().__init__(kernel)
        self.engines[Engine.NATIVE] = _Engine(PROCEDURE, native)


def chosen(table: Any, engine: str = "auto", **settings: Any) -> tuple[Engine | None, list[str]]:
    """Return the engine and the names of what does not hold."""
    document = {**settings, "rewrite": {"engine": engine, **settings.get("rewrite", {})}}
    found = choose_engine(cast("OpenTable", table), policy_of(document))
    return found.traits.name if found.is_possible else None, [each.name for each in found.conditions if not each.holds]


@pytest.mark.parametrize(
    ("kernel", "native", "engine", "wanted"),
    [
        (YES, YES, "auto", (Engine.ARROW, [])),
        (YES, NO_NAME, "auto", (Engine.ARROW, [])),
        (NO_KERNEL, YES, "auto", (Engine.NATIVE, [])),
        (NO_KERNEL, NO_NAME, "auto", (None, ["no_equality_deletes", "native_spark_catalog"])),
        (NO_KERNEL, YES, "arrow", (None, ["no_equality_deletes"])),
        (YES, YES, "native", (Engine.NATIVE, [])),
        (YES, NO_NAME, "native", (None, ["native_spark_catalog"])),
    ],
)
def test_u17_auto_takes_the_kernel_where_it_may_and_the_procedure_where_it_must(
    kernel: Condition, native: Condition, engine: str, wanted: tuple[Engine | None, list[str]]
) -> None:
    assert chosen(_Either(kernel, native), engine) == wanted


def test_why_the_procedure_is_called_is_said_and_without_one_the_conditions_of_the_kernel_refuse() -> None:
    assert chosen(_Kernel(NO_KERNEL)) == (None, ["no_equality_deletes"])
    found = choose_engine(cast("OpenTable", _Either(NO_KERNEL, YES)), policy_of({}))
    (said,) = [each.detail for each in found.conditions if each.name == BY_NATIVE]
    assert "no_equality_deletes: 2 are live" in said


def test_f48_a_setting_that_no_one_declared_keeps_the_procedure_from_being_called() -> None:
    """F48: an engine of a format that has no option for a new setting would drop it without a word."""
    policy = policy_of({"rewrite": {"engine": "native"}})
    origins = {**policy.origins, "rewrite.new": "policy"}
    asked = replace(policy, values={**policy.values, "rewrite.new": 1}, origins=origins)
    found = choose_engine(cast("OpenTable", _Either(NO_KERNEL, YES)), asked)
    assert [each.detail for each in found.conditions if not each.holds] == ["it does not support rewrite.new"]


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"rewrite": {"compression": "zstd:9"}}, "native_settings"),
        ({"rewrite": {"exclude_above_bytes": "1GB"}}, "native_settings"),
        ({"rewrite": {"strategy": "sort", "columns": [{"name": "id"}]}}, "native_strategy"),
        ({"verification": "content"}, "native_verification"),
        ({"limits": {"bandwidth": "1MB"}}, "native_rate"),
        ({"limits": {"requests": 10}}, "native_rate"),
    ],
)
def test_what_the_procedure_can_not_be_told_keeps_it_from_being_called(settings: dict[str, Any], missing: str) -> None:
    assert chosen(_Either(NO_KERNEL, YES), "native", **settings) == (None, [missing])


def test_the_options_say_what_the_plan_went_by_with_the_compression_of_the_tables_own_property() -> None:
    asked = policy_of({"rewrite": {"engine": "native"}}, **{"rewrite.compression": "gzip"})
    assert choose_engine(cast("OpenTable", _Either(NO_KERNEL, YES)), asked).traits.name is Engine.NATIVE
    asked = policy_of({"rewrite": {"target_file_bytes": "100MB", "small_file_bytes": "50MB", "min_input_files": 3}})
    options = call_options(RewriteLimits.of(asked), ProcedureSettings(tasks=2, full=False))
    assert options["target-file-size-bytes"] == 100 * 10**6
    assert options["min-file-size-bytes"] == 50 * 10**6
    assert options["min-input-files"] == 3
    assert options["max-concurrent-file-group-rewrites"] == 2
    assert options["delete-file-threshold"] == 1
    assert options["rewrite-all"] is False
    assert options["partial-progress.enabled"] is False
    assert call_options(RewriteLimits.of(asked), ProcedureSettings(tasks=2, full=True))["rewrite-all"] is True


@pytest.mark.parametrize(
    ("rate", "most", "tasks"),
    [(None, 4, 4), (TASK_BYTES_PER_SECOND * 2.9, 4, 2), (TASK_BYTES_PER_SECOND * 9, 4, 4), (1e6, 4, 0)],
)
def test_so_many_tasks_are_called_for_as_stay_under_the_limit(rate: float | None, most: int, tasks: int) -> None:
    assert tasks_within(Budget(rate), most) == tasks


@pytest.mark.parametrize(
    ("failure", "is_lost"),
    [
        ("org.apache.iceberg.exceptions.ValidationException: Missing required files to delete: a.parquet", True),
        ("org.apache.iceberg.exceptions.CommitFailedException: branch main has changed", True),
        ("java.lang.OutOfMemoryError: Java heap space", False),
    ],
)
def test_a_failure_that_names_a_lost_commit_is_a_conflict(failure: str, is_lost: bool) -> None:
    assert is_conflict(failure) is is_lost
