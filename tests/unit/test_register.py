"""The register of reference behaviour in docs/contributing/register.md and the tests name the same rows."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.defences.cases import CASES

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
ROWS = {f"{system}{at}" for system, last in (("U", 18), ("P", 26), ("L", 27), ("M", 18)) for at in range(1, last + 1)}
"""Every statement of the four reference documents: Upsolver, Paimon, the Artemis lesson, MaxCompute."""

_IN_TEXT = re.compile(r"\b[UPLM]\d+\b")
_IN_NAME = re.compile(r"(?<=_)([uplm])(\d+)(?:_to_[uplm](\d+))?(?=_|$)")
_FAULT = re.compile(r"(?:\bF|_f)(\d+)(?=\b|_)")
"""A row of the faults that other systems had: `F15` in a docstring, `test_f15_…` as a name."""


def _registered() -> set[tuple[str, str]]:
    """Return row and test of every line of the register; a line without a row continues the one before."""
    text = "\n".join(path.read_text() for path in sorted(ROOT.glob("docs/contributing/register*.md")))
    found, row = set(), ""
    for name, test in re.findall(r"^\| ([A-Z]\d+)? ?\| .*\| `(\S+::\w+)` \|$", text, re.MULTILINE):
        row = name or row
        found.add((row, test))
    return found


def _not_yet() -> list[tuple[str, str]]:
    """Return row and issue of every line of the list of what is missing."""
    text = (ROOT / "docs/contributing/register.md").read_text()
    return re.findall(r"^\| ([A-Z]\d+) \| .* \| (.*) \|$", text.partition("\n## Not yet\n")[2], re.MULTILINE)


@cache
def _modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every file of tests, by its path below `tests`."""
    paths = sorted(TESTS.rglob("test_*.py"))
    return {str(path.relative_to(TESTS)): ast.parse(path.read_text()) for path in paths}


def _functions() -> Iterator[tuple[str, str, str]]:
    """Yield test id, name and docstring of every test function."""
    for path, module in _modules().items():
        yield from _functions_of(path, module)


def _functions_of(place: str, parent: ast.Module | ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            yield from _functions_of(f"{place}::{node.name}", node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield f"{place}::{node.name}", node.name, ast.get_docstring(node) or ""


def _rows_of(name: str, docstring: str) -> set[str]:
    found = set(_IN_TEXT.findall(docstring))
    for system, first, last in _IN_NAME.findall(name):
        found |= {f"{system.upper()}{at}" for at in range(int(first), int(last or first) + 1)}
    return found & ROWS


def test_names_and_docstrings_give_rows() -> None:
    assert _rows_of("test_u14_u15_the_preset_is_due", "") == {"U14", "U15"}
    assert _rows_of("test_p17_to_p19_say_when", "L6, M2: whatever a p95 of F14 is; L99") == {
        "P17",
        "P18",
        "P19",
        "L6",
        "M2",
    }
    assert _rows_of("test_a_v2_or_sha256_digest", "") == set()


def test_the_register_lists_every_test_that_names_a_row_and_no_other() -> None:
    named = {(row, test) for test, name, docstring in _functions() for row in _rows_of(name, docstring)}
    registered = _registered()
    assert sorted(named - registered) == [], "named by a test, missing in docs/contributing/register.md"
    assert sorted(registered - named) == [], "in docs/contributing/register.md, but no such test names the row"


def test_rows_in_the_docstring_of_a_module_are_named_by_a_test_of_it() -> None:
    registered = {(row, test.partition("::")[0]) for row, test in _registered()}
    claimed = {
        (row, path) for path, module in _modules().items() for row in _rows_of("", ast.get_docstring(module) or "")
    }
    assert sorted(claimed - registered) == []


def test_every_row_has_a_test_or_is_listed_as_missing_with_its_issue() -> None:
    missing = _not_yet()
    assert {row for row, _ in _registered()} | {row for row, _ in missing} == ROWS
    assert [row for row, issue in missing if not re.fullmatch(r"issue \d+ \([a-zA-Z ]+\)", issue)] == []


def test_every_row_is_shown_by_more_than_unit_tests_or_the_verdict_says_why_not() -> None:
    text = (ROOT / "docs/contributing/register.md").read_text().partition("\n## Verdicts\n")[2]
    lines = re.findall(r"^\| ([A-Z][0-9A-Z, ]+) \|(.*)\|$", text, re.MULTILINE)
    different = {row: cells.split(" | ") for rows, cells in lines for row in rows.split(", ")}
    assert set(different) <= ROWS
    assert [row for row, cells in different.items() if len(cells) != 3 or not all(map(str.strip, cells))] == []
    shown = {row for row, test in _registered() if not test.startswith("unit/")}
    assert sorted(ROWS - shown - set(different)) == []


def _is_marked_deep(expression: ast.expr) -> bool:
    """Return whether a mark leaves a whole test out of `make test`; of parameters, if each of them is left out."""
    if isinstance(expression, ast.List | ast.Tuple):
        return any(map(_is_marked_deep, expression.elts))
    if isinstance(expression, ast.Call) and ast.unparse(expression.func).endswith("parametrize"):
        values = expression.args[1]
        rows = values.elts if isinstance(values, ast.List | ast.Tuple) else []
        return bool(rows) and all("mark.deep" in ast.unparse(row) for row in rows)
    return ast.unparse(expression).endswith("mark.deep")


def _shallow() -> set[str]:
    """Return the ids of the tests that `make test` runs, all of them or with some of their parameters."""
    found = set()
    for path, module in _modules().items():
        marks = [
            node.value
            for node in module.body
            if isinstance(node, ast.Assign) and [ast.unparse(each) for each in node.targets] == ["pytestmark"]
        ]
        if any(map(_is_marked_deep, marks)):
            continue
        for node in ast.walk(module):
            is_test = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
            if is_test and not any(map(_is_marked_deep, node.decorator_list)):
                found.add(f"{path}::{node.name}")
    return found


def test_every_row_of_the_register_and_every_fault_has_a_test_that_is_not_deep() -> None:
    rows = [(row, test) for row, test in _registered()]
    for test, name, docstring in _functions():
        rows += [(f"F{number}", test) for number in _FAULT.findall(f"{name} {docstring}")]
    shallow = _shallow()
    assert {row for row, _ in rows} - {row for row, test in rows if test in shallow} == set()


def test_no_test_of_a_defence_is_deep() -> None:
    named = {test.removeprefix("tests/").partition("[")[0] for case in CASES for test in case.tests}
    assert sorted(named - _shallow()) == []


def test_a_test_with_one_parameter_that_is_not_deep_is_not_deep() -> None:
    marks = {
        "pytest.mark.deep": True,
        "[pytest.mark.asyncio, pytest.mark.deep]": True,
        "pytest.mark.parametrize('at', [pytest.param(1, marks=pytest.mark.deep)])": True,
        "pytest.mark.parametrize('at', [pytest.param(1, marks=pytest.mark.deep), 2])": False,
        "pytest.mark.parametrize('at', deep_ones)": False,
        "pytest.mark.timeout(600)": False,
    }
    assert {mark: _is_marked_deep(ast.parse(mark, mode="eval").body) for mark in marks} == marks
