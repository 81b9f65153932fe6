"""A class name has one meaning in engine and API.

Two families share names on purpose: a wire model and the one value that it shows, and classes of formats that have the
same role.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.domain.tables.table import FormatName

ROOT = Path(__file__).parents[2]
SCHEMAS = "api/schemas/"
BASES = f"{SCHEMAS}common.py"
SHOWN = tuple(f"engine/{room}/" for room in ("domain", "planning", "services", "stores", "formats/base"))
FORMATS = {f"engine/formats/{name.value}/" for name in FormatName}
ROLES = "engine/formats/"


def test_a_class_name_has_one_meaning() -> None:
    shared = {name: modules for name, modules in classes().items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if not is_one_family(modules)} == {}


def test_two_meanings_are_found() -> None:
    schema, value, role = (
        "api/schemas/tables/health.py",
        "engine/planning/measures/health.py",
        "engine/formats/base/a.py",
    )
    hive, paimon = "engine/formats/hive/a.py", "engine/formats/paimon/b/c.py"
    assert is_one_family([schema, value])
    assert is_one_family([role, hive, paimon])
    for modules in (
        [value, value],
        [schema, value, value],
        [schema, hive],
        [BASES, value],
        [hive, hive],
        [hive, value],
    ):
        assert not is_one_family(modules), modules


def classes() -> Mapping[str, Sequence[str]]:
    """Return the modules that define a class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for folder in ("api", "engine"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def is_one_family(modules: Sequence[str]) -> bool:
    """Return whether the classes of these modules may have the same name."""
    if all(module.startswith(ROLES) for module in modules):  # one in each format, and one for all
        rooms = [next((each for each in FORMATS if module.startswith(each)), ROLES) for module in modules]
        return len(set(rooms)) == len(rooms)
    schemas = [module for module in modules if module.startswith(SCHEMAS) and module != BASES]
    values = [module for module in modules if module.startswith(SHOWN)]
    return len(modules) == 2 and len(schemas) == len(values) == 1
