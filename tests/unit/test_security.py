"""The threat model in SECURITY.md and the suite agree: its tests run before each push, and no boundary lacks one."""

import re
from itertools import accumulate
from pathlib import Path

from tests.unit.test_register import _FAULT, _functions, _shallow

ROOT = Path(__file__).parents[2]
BOUNDARIES = {
    "client → API", "API → database", "Redis, queue entries", "pace channel", "worker → REST catalog, OAuth",
    "AWS Glue, STS", "Hive Metastore", "SQL catalogs", "metadata and files of tables", "stores", "Spark",
    "identity providers",
    "coordinator → receivers of webhooks", "scan reports of clients", "callers' `traceparent`; traces → collector",
    "events of stores",
    "inventories", "files of `packhouse apply`", "terminal", "console, browser", "logs, errors, answers",
    "dependencies",
}  # fmt: skip
FAULTS = {29, 30, 31, 33, 34, 35, 42, 43, 45, 46, 59, 61, 62, 63}
"""Rows of faults that came from outside: what a stranger sent, or where a stranger led to."""


def _listed() -> list[tuple[str, str]]:
    """Return boundary and test of each line; a line without a boundary continues the one before."""
    text = (ROOT / "SECURITY.md").read_text().partition("## Boundaries")[2]
    lines = re.findall(r"^\| (.*?) ?\|(?:.*\|)? `(\S+::\w+)` \|$", text, re.MULTILINE)
    assert len(lines) == text.count("::"), "a line is not of the table's form"
    boundaries = accumulate([boundary for boundary, _ in lines], _or_before)
    return [(boundary, test) for boundary, (_, test) in zip(boundaries, lines, strict=True)]


def _or_before(before: str, boundary: str) -> str:
    return boundary or before


def test_every_test_of_the_threat_model_exists_and_is_not_deep() -> None:
    assert sorted({test for _, test in _listed()} - _shallow()) == []


def test_every_boundary_has_a_test_and_is_of_the_threat_model() -> None:
    assert {boundary for boundary, _ in _listed()} == BOUNDARIES


def test_every_fault_from_outside_has_a_test_in_the_threat_model() -> None:
    listed = {test for _, test in _listed()}
    named = {
        int(number)
        for test, name, docstring in _functions()
        if test in listed
        for number in _FAULT.findall(f"{name} {docstring}")
    }
    assert FAULTS - named == set()
