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
        ("engine/domain", {"engine.domain", "engine.uris", "cronsim", "pydantic", "pydantic_core"}),
        ("engine/planning", {"engine.domain", "engine.planning", "pydantic", "numpy", "pyarrow"}),
        (
            "engine/rewriting/kernel",
            {"engine.outgoing", "engine.rewriting.kernel", "engine.uris", "hdfs_native", "numpy", "obstore", "pyarrow"},
        ),
        (
            "engine/formats/paimon/task",  # pyspark: for the paths of files that were added to Spark
            {"engine.formats.paimon.task", "engine.rewriting.kernel", "numpy", "py4j", "pyarrow", "pyspark"},
        ),
        ("engine/outgoing", {"engine.outgoing"}),
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


def _python(*folders: str) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [path for path in found if "_generated" not in path.parts and "versions" not in path.parts]


def test_files_stay_below_the_cap() -> None:
    sources = _python("api", "engine", "clients/cli", "scripts", "tests", "bench")
    assert [str(p.relative_to(ROOT)) for p in sources if len(p.read_text().splitlines()) > 500] == []


LARGE_FILES = {
    "api/schemas/runs/run.py",
    "api/schemas/tables/explanation.py",
    "clients/cli/packhouse/rendering/answers.py",
    "engine/domain/runs/run.py",
    "engine/planning/due/triggers.py",
    "engine/rewriting/kernel/reading/projection.py",
    "engine/services/operations/rewrite/commits.py",
    "engine/stores/runs/store.py",
    "engine/stores/schema/core.py",  # one table after the other
}
LONG_FUNCTIONS = {
    "api/http/metrics.py __init__",  # one series after the other
    "clients/cli/packhouse/commands/runs.py run",  # one option after the other
    "engine/factory/dependencies.py open_dependencies",
    "engine/factory/wiring.py wire",  # one service after the other
    "engine/metrics.py __init__",
    "engine/planning/due/evaluations.py evaluate_policy",
    "engine/planning/measures/health.py health",
    "engine/planning/plans/file_groups.py make_plan",
    "engine/services/runs/outcomes.py run_result",
    "engine/stores/runs/claims.py claim",
}


def test_product_files_and_functions_are_short() -> None:
    """Files have at most 350 lines and functions 40 without their docstring, but for those that are listed.

    One that has become shorter leaves its list, so that the lists only get shorter.
    """
    files, functions = set(), set()
    for path in _python("api", "engine", "clients/cli"):
        text, name = path.read_text(), str(path.relative_to(ROOT))
        if len(text.splitlines()) > 350:
            files.add(name)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines_of(node) > 40:
                functions.add(f"{name} {node.name}")
    assert files == LARGE_FILES
    assert functions == LONG_FUNCTIONS


def _lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    documented = ast.get_docstring(function, clean=False)
    described = 0 if documented is None else len(documented.splitlines()) + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - described


OF_ICEBERG = ("iceberg", "puffin", "manifest-list", "write.parquet", "history.expire")
KNOWS_ITS_FORMAT = {
    "engine/domain/tables/table.py",  # the names of all formats
    "engine/factory/dependencies.py",  # the wiring
    "engine/logging.py",  # the loggers of libraries
    "engine/rewriting/kernel/reading/deletes.py",  # the endings of delete files that it refuses
    "api/schemas/catalogs/catalog.py",  # examples
    "api/schemas/catalogs/formats.py",
    "api/schemas/tables/descriptions.py",
    "api/routes/tables/reports.py",  # the path and the form of another specification
    "api/schemas/tables/reports.py",
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
