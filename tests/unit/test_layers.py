"""What innermost layers may import, as allow-lists, so that each new library is a decision; and what they may name.

The layer rule itself is `.importlinter`, which can only name what is forbidden.
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


OF_ICEBERG = ("iceberg", "puffin", "manifest-list", "write.parquet", "history.expire")
KNOWS_ITS_FORMAT = {
    "engine/domain/tables/table.py",  # the names of all formats
    "engine/factory/surroundings.py",  # the wiring
    "engine/logging.py",  # the loggers of libraries
    "engine/rewriting/kernel/reading/deletes.py",  # the endings of delete files that it refuses
    "api/schemas/catalogs/catalog.py",  # examples
    "api/schemas/catalogs/formats.py",
}


def _texts(path: Path) -> set[str]:
    """Return the names and strings of a file's code, without comments and docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    spoken = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spoken:
            found.add(node.value)
        elif isinstance(node, ast.Name | ast.Attribute):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def test_no_code_above_the_formats_names_one() -> None:
    """What a caller knows of Iceberg would be wrong for the next format."""
    folders = [
        ROOT / "api",
        *(each for each in (ROOT / "engine").iterdir() if each.name not in {"formats", "embedded"}),
    ]
    paths = [path for folder in folders for path in (folder.rglob("*.py") if folder.is_dir() else [folder])]
    naming = {
        str(path.relative_to(ROOT))
        for path in paths
        if path.suffix == ".py"
        and "openapi/examples" not in str(path)
        and any(word in text.lower() for text in _texts(path) for word in OF_ICEBERG)
    }
    assert naming - KNOWS_ITS_FORMAT == set()
    assert len(naming) >= 3  # the search finds what there is
