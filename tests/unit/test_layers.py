"""What innermost layers may import, as allow-lists: a new library is refused until somebody decides. (The layer rule
itself is `.importlinter`, which can only name what is forbidden.)
"""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _imports(folder: Path) -> set[str]:
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are absolute here"
                found.add(str(node.module))
    return found


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("engine/domain", {"engine.domain", "cronsim", "pydantic", "pydantic_core"}),
        ("engine/planning", {"engine.domain", "engine.planning", "pydantic", "numpy", "pyarrow"}),
        ("engine/rewriting/kernel", {"engine.rewriting.kernel", "numpy", "pyarrow"}),
    ],
)
def test_inner_layers_import_nothing_else(folder: str, allowed: set[str]) -> None:
    foreign = {
        name
        for name in _imports(ROOT / folder)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == root or name.startswith(f"{root}.") for root in allowed)
    }
    assert foreign == set()


def test_files_stay_below_the_cap() -> None:
    sources = [
        p
        for folder in ("api", "engine", "clients/cli", "scripts", "tests", "bench")
        for p in (ROOT / folder).rglob("*.py")
    ]
    assert [str(p.relative_to(ROOT)) for p in sources if len(p.read_text().splitlines()) > 500] == []
