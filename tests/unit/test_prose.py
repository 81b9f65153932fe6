"""`scripts/prose` finds the words that have a plainer form, in texts and not in names."""

from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Found = Callable[[Path], tuple[int, list[str]]]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Found:
    """Run the script on one file; returns its exit code and lines."""
    loader = SourceFileLoader("prose", str(ROOT / "scripts/prose"))
    spec = spec_from_loader("prose", loader)
    assert spec is not None
    script = module_from_spec(spec)
    loader.exec_module(script)

    def run(path: Path) -> tuple[int, list[str]]:
        monkeypatch.setattr("sys.argv", ["prose", str(path)])
        return script.main(), capsys.readouterr().out.splitlines()

    return run


def test_phrases_are_found_with_their_line_and_a_better_form(tmp_path: Path, found: Found) -> None:
    text = tmp_path / "page.md"
    text.write_text("# A page\nNobody has to start it: it starts by itself.\n")
    assert found(text) == (
        1,
        [
            f"{text}:2: 'Nobody': name the caller, the owner or the process, or use the passive",
            f"{text}:2: 'by itself': automatically; or leave it out",
        ],
    )


def test_of_python_strings_and_comments_are_read_and_names_are_not(tmp_path: Path, found: Found) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Fix it."""\n\nwish = 1  # nobody knows\n')
    code, lines = found(module)
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith(f"{module}:3: 'nobody'")


def test_a_text_without_them_is_passed(tmp_path: Path, found: Found) -> None:
    text = tmp_path / "page.md"
    text.write_text("The coordinator starts due runs automatically.\n")
    assert found(text) == (0, ["1 files, nothing found"])


def test_a_negated_noun_is_found_and_an_absence_is_not(tmp_path: Path, found: Found) -> None:
    text = tmp_path / "page.md"
    text.write_text("A folder is no table.\nThere is no table, and it is no longer listed.\n")
    assert found(text) == (1, [f"{text}:1: 'is no ': is not a …"])


def test_a_docstring_that_begins_with_a_question_word_is_found(tmp_path: Path, found: Found) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""What a plan is."""\n\n_TEXT = "What a plan is"\n')
    assert found(module) == (1, [f'{module}:1: \'"""What \': a verb, or the noun that is described'])
