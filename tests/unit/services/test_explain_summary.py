"""What the summary of explain says, word for word. `tests.unit.services.explanations` writes the expected texts."""

import pytest

from tests.unit.services.explanations import FOLDER, SITUATIONS, summary


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_says_what_it_said_before(name: str):
    assert summary(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_fits_on_a_screen(name: str):
    lines = summary(name).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100


def test_every_expected_text_has_its_situation():
    assert {path.stem for path in FOLDER.iterdir()} == set(SITUATIONS)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_summary_says_first_whether_the_table_is_due_and_that_nothing_starts_by_itself(name: str):
    first, *others = summary(name).splitlines()
    assert first.startswith("lake.")
    assert any("No run starts by itself in this version" in line for line in others)
