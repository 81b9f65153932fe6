"""Cases stay in step with the code: what is taken away stands once, and the tests exist. The proof itself is long."""

import re
from pathlib import Path

import pytest

from tests.defences.cases import CASES, Case

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row)
def test_a_defence_stands_once_where_its_case_says(case: Case) -> None:
    for edit in case.edits:
        assert (ROOT / edit.file).read_text().count(edit.defence) == 1, edit.file


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.row)
def test_the_tests_of_a_case_exist(case: Case) -> None:
    for test in case.tests:
        file, name = test.split("::")
        assert re.search(rf"def {name}\(", (ROOT / file).read_text()), test
