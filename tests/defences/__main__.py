"""Take the defences away one after the other, in a copy of the tree: `python -m tests.defences [F1 F14 …]`.

Prints a line for each: the test passes with the defence and fails without it, or not. Ends with 1 when one does not.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.defences.cases import CASES, Case

ROOT = Path(__file__).parents[2]
_SHARED = (".venv", ".cache")
_FAILED = 1
"""How pytest ends when tests failed; other numbers are errors before or after them."""


def main() -> int:
    """Prove the chosen cases, all unless told."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="F1, F14, …; all without any")
    wanted = parser.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="packhouse-defences-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(*_SHARED, ".git", "node_modules"))
        for name in _SHARED:
            (tree / name).symlink_to(ROOT / name)
        proven = [_proven(tree, case) for case in CASES if not wanted or case.row in wanted]
    _tell(f"{sum(proven)} of {len(proven)} defences are missed by their tests when they are gone")
    return int(not all(proven))


def _proven(tree: Path, case: Case) -> bool:
    alone = [test for test in case.tests if _pytest(tree, [test]) != 0]
    for edit in case.edits:
        _replace(tree / edit.file, edit.defence, edit.without)
    blind = [test for test in case.tests if _pytest(tree, [test]) != _FAILED]
    for edit in case.edits:
        shutil.copyfile(ROOT / edit.file, tree / edit.file)
    said = [f"fails with it: {test}" for test in alone] + [f"does not notice: {test}" for test in blind]
    _tell(f"{case.row:<4} {'; '.join(said) or 'holds'}")
    return not said


def _replace(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new))


def _pytest(tree: Path, tests: Sequence[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=tree, capture_output=True, check=False, timeout=600).returncode


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
