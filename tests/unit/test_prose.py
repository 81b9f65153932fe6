"""`scripts/prose` finds the words that have a plainer form, in texts and not in names."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _found(path: Path) -> tuple[int, list[str]]:
    run = subprocess.run([sys.executable, ROOT / "scripts/prose", path], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout.splitlines()


def test_phrases_are_found_with_their_line_and_a_better_form(tmp_path: Path) -> None:
    text = tmp_path / "page.md"
    text.write_text("# A page\nNobody has to start it: it starts by itself.\n")
    assert _found(text) == (
        1,
        [
            f"{text}:2: 'Nobody': name the caller, the owner or the process, or use the passive",
            f"{text}:2: 'by itself': automatically; or leave it out",
        ],
    )


def test_of_python_strings_and_comments_are_read_and_names_are_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Fix it."""\n\nwish = 1  # nobody knows\n')
    code, lines = _found(module)
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith(f"{module}:3: 'nobody'")


def test_a_text_without_them_is_passed(tmp_path: Path) -> None:
    text = tmp_path / "page.md"
    text.write_text("The coordinator starts due runs automatically.\n")
    assert _found(text) == (0, ["1 files, nothing found"])
