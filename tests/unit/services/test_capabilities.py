"""The capability matrix: every no has a reason, and settings are refused by it."""

from dataclasses import replace
from itertools import product

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import (
    ENGINES,
    POSSIBLE,
    STRATEGIES,
    Capabilities,
    not_served,
)
from engine.domain.tables.table import FormatName
from engine.formats.hive.capabilities import CAPABILITIES as HIVE
from engine.formats.iceberg.capabilities import CAPABILITIES as ICEBERG
from engine.formats.paimon.capabilities import CAPABILITIES as PAIMON
from engine.services.catalogs.capabilities import CapabilityService

DONE = (
    Operation.REWRITE,
    Operation.REWRITE_DELETES,
    Operation.REWRITE_MANIFESTS,
    Operation.EXPIRE_SNAPSHOTS,
    Operation.DELETE_OLD_COMPACTIONS,
    Operation.PURGE,
    Operation.RECLAIM,
    Operation.REMOVE_ORPHANS,
)
SERVICE = CapabilityService(served={FormatName.ICEBERG: ICEBERG, FormatName.PAIMON: PAIMON})
EVERY_CELL = len(STRATEGIES) * len(ENGINES) + len(Operation) - 1


@pytest.mark.parametrize("name", FormatName)
def test_every_format_has_every_cell_and_every_no_its_reason(name: FormatName) -> None:
    matrix = SERVICE.of(name)
    assert len({(cell.operation, cell.strategy, cell.engine) for cell in matrix.cells}) == EVERY_CELL
    assert all(cell.capability.possible != bool(cell.capability.reason) for cell in matrix.cells)


@pytest.mark.parametrize("name", [FormatName.ICEBERG, FormatName.PAIMON, FormatName.HIVE])
def test_f48_what_a_format_does_not_declare_is_impossible(name: FormatName) -> None:
    """F48: a new operation, strategy or engine is refused, with its setting, until a format declares that it can."""
    matrix = Capabilities.declared(name, operations={Operation.PURGE: POSSIBLE}, rewrites={}, settings={})
    possible = [cell.operation for cell in matrix.cells if cell.capability.possible]
    assert possible == [Operation.PURGE]
    service = CapabilityService(served={name: matrix})
    for operation in set(Operation) - {Operation.PURGE}:
        with pytest.raises(InvalidInput, match=f"this version does not do it on {name.value} tables"):
            service.check_operation(name, operation)
    with pytest.raises(InvalidInput, match=r"maintenance\.expire_snapshots"):
        service.check_settings(name, {"maintenance.expire_snapshots": {"keep_last": 2}})
    with pytest.raises(InvalidInput, match=r"rewrite\.strategy"):
        service.check_settings(name, {"rewrite.strategy": "binpack"})


@pytest.mark.parametrize("declared", [ICEBERG, PAIMON, HIVE])
def test_f48_every_format_declares_every_operation_itself(declared: Capabilities) -> None:
    """F48: no answer of a format of this version is the one for what nobody declared."""
    name = declared.format.value
    unknown = {
        cell.capability.reason
        for cell in Capabilities.declared(declared.format, operations={}, rewrites={}, settings={}).cells
    }
    assert [cell for cell in declared.cells if cell.capability.reason in unknown] == [], name


def test_iceberg_tables_are_rewritten_with_every_strategy_and_formats_that_are_not_served_say_so() -> None:
    possible = {(cell.operation, cell.strategy, cell.engine) for cell in ICEBERG.cells if cell.capability.possible}
    assert {(Operation.REWRITE, each, "arrow") for each in STRATEGIES} <= possible
    assert [matrix.format for matrix in SERVICE.list(SYSTEM) if not matrix.is_served] == ["delta", "hive"]
    reasons = {cell.capability.reason for cell in not_served(FormatName.HIVE).cells}
    assert reasons == {"this version does not serve hive tables"}


OF_PAIMON = {*Operation} - {Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.DELETE_OLD_COMPACTIONS}


def test_paimon_tables_are_rewritten_and_kept_up_and_other_operations_have_what_does_them_instead() -> None:
    for operation in OF_PAIMON:
        SERVICE.check_operation(FormatName.PAIMON, operation)
    for operation in set(Operation) - OF_PAIMON:
        with pytest.raises(InvalidInput, match="does not do it on Paimon tables: ") as caught:
            SERVICE.check_operation(FormatName.PAIMON, operation)
        assert caught.value.problems[0].value == operation.value


def test_a_setting_that_the_format_can_not_fulfil_is_refused_and_the_procedure_called_for_binpack_only() -> None:
    refused = {"rewrite.engine": {"native": "there is no such procedure"}}
    service = CapabilityService(served={FormatName.ICEBERG: replace(ICEBERG, settings=refused)})
    with pytest.raises(InvalidInput) as caught:
        service.check_settings(FormatName.ICEBERG, {"rewrite.engine": "native", "enabled": True})
    (problem,) = caught.value.problems
    assert (problem.pointer, problem.value) == ("/rewrite/engine", "native")
    assert problem.message == "there is no such procedure"
    native = {cell.strategy: cell.capability for cell in ICEBERG.cells if cell.engine == "native"}
    assert native["binpack"].possible
    assert all(not each.possible for strategy, each in native.items() if strategy != "binpack")


def test_an_engine_is_refused_just_where_its_cell_says_no() -> None:
    for strategy, engine in product(STRATEGIES, (*ENGINES, "auto")):
        refused = ICEBERG.refusals({"rewrite.engine": engine, "rewrite.strategy": strategy})
        expected = ["rewrite.engine"] if engine == "native" and strategy != "binpack" else []
        assert [each.field for each in refused] == expected


def test_what_the_format_does_anyway_and_a_default_are_no_refusal() -> None:
    settings = {
        "rewrite.strategy": "binpack",
        "rewrite.columns": [],
        "rewrite.order_bins_by": "locality",
        "rewrite.max_time_span": "off",
        "rewrite.engine": "auto",
        "verification": "content",
    }
    SERVICE.check_settings(FormatName.ICEBERG, settings)
    SERVICE.check_settings(FormatName.ICEBERG, {"rewrite.strategy": None, "rewrite.engine": "arrow"})
    impossible = replace(ICEBERG, settings={"maintenance.rewrite_manifests": {"*": "there are none"}})
    values = {"maintenance.rewrite_manifests": {"interval": 604_800}}
    assert impossible.refusals(values, {"maintenance.rewrite_manifests": "default"}) == ()
    (refusal,) = impossible.refusals(values, {"maintenance.rewrite_manifests": "table"})
    assert refusal.reason == "there are none"


def test_an_operation_that_can_be_done_is_accepted_and_any_other_is_refused_with_its_reason() -> None:
    for operation in DONE:
        SERVICE.check_operation(FormatName.ICEBERG, operation)
    for operation in Operation:
        with pytest.raises(InvalidInput) as caught:
            SERVICE.check_operation(FormatName.HIVE, operation)
        assert caught.value.problems[0].message == SERVICE.operation(FormatName.HIVE, operation).reason
