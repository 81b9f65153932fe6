"""Texts of explanations."""

import pytest

from engine.formats.paimon.task.errors import CoreFault, fault_of
from engine.services.planning.wording import short_detail

FILE = "data-986d1615-9610-4ab2-8f65-5a928b2d4194-0.parquet"


@pytest.mark.parametrize(
    "folder", ["/srv/lake/warehouse/lake.db/events/bucket-0", "s3://lake/lake.db/events/day=2026-11-01/bucket-0"]
)
def test_the_detail_of_a_run_keeps_the_name_of_a_file(folder: str) -> None:
    detail = f"1 of 2 groups refused: unreadable: InputFault: {folder}/{FILE}: 3 rows/s, 4 expected"
    shown = f"1 of 2 groups refused: unreadable: InputFault: …/{FILE}: 3 rows/s, 4 expected"
    assert short_detail(detail, 200) == (detail if len(detail) <= 200 else shown)
    assert short_detail(detail, len(shown)) == shown
    assert short_detail(detail, 110) == f"{shown[:109]}…"


def test_advice_of_the_core_is_not_passed_on() -> None:
    conflict = (
        "java.lang.RuntimeException: File deletion conflicts detected! Give up committing.\n\nBase commit user is: a\n"
        "Don't panic!\nConflicts during commits are normal. You can start a dedicated compaction job."
    )
    fault = fault_of([conflict, "java.io.IOException: broken. Please set 'x' to 'y'.", "java.lang.Error: Please set z"])
    assert isinstance(fault, CoreFault)
    assert str(fault) == (
        "java.lang.RuntimeException: File deletion conflicts detected! Give up committing.\n\nBase commit user is: a; "
        "caused by java.io.IOException: broken.; caused by java.lang.Error: Please set z"
    )
