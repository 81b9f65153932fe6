"""Figures of the source tree, read from its files: its size, and the roles and flags by which formats differ."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


def static_figures() -> dict[str, int]:
    """Return the figures by name. Lines are those of the counted modules, with docstrings, comments and blank lines."""
    engine = [*_modules("engine")]
    roles = _protocols(ROOT / "engine/formats/base")
    return {
        "modules of engine": len(engine),
        "lines of engine": _lines(engine),
        "protocols in formats/base": len(roles),
        "isinstance of roles": sum(_questions(path, roles) for path in engine),
        "fields of KernelTask": _fields(engine, "KernelTask"),
        "lines of tests": _lines((ROOT / "tests").rglob("*.py")),
    }


def _modules(package: str) -> Iterator[Path]:
    """Return the modules of a package without `__init__` and migrations."""
    for path in sorted((ROOT / package).rglob("*.py")):
        if path.name != "__init__.py" and path.parent.name != "versions":
            yield path


def _lines(paths: Iterator[Path] | list[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def _classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))


def _protocols(folder: Path) -> frozenset[str]:
    """Return the names of the protocols of a folder; those with type parameters too."""
    found = (each for path in folder.glob("*.py") for each in _classes(path))
    return frozenset(each.name for each in found if any(_name(base) == "Protocol" for base in each.bases))


def _name(node: ast.expr) -> str | None:
    match node:
        case ast.Subscript(value=value):
            return _name(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None


def _questions(path: Path, roles: frozenset[str]) -> int:
    """Return how often a module asks with `isinstance` whether a table has one of the roles."""
    text = path.read_text()
    if "isinstance(" not in text:
        return 0
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and len(node.args) > 1)
    asked = (each.args[1] for each in calls if _name(each.func) == "isinstance")
    return sum(any(_name(part) in roles for part in ast.walk(each) if isinstance(part, ast.expr)) for each in asked)


def _fields(paths: list[Path], name: str) -> int:
    """Return the number of fields of a class; 0 if there is none of this name."""
    defining = (path for path in paths if f"\nclass {name}" in path.read_text())
    found = (each for path in defining for each in _classes(path) if each.name == name)
    return sum(isinstance(node, ast.AnnAssign) for each in found for node in each.body)
