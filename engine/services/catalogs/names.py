"""Rules for names of catalogs and tables, checked before a catalog is asked or anything is stored.

Catalog names are part of Packhouse's addresses and restricted. Table and namespace names belong to the catalog, so only
those are refused that are empty or overlong, or have control characters or the glob characters of policies.
"""

import re
from typing import Final

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.table import TableRef
from engine.domain.values.strict import UNSEEN, is_one_line

MAX_NAME_CHARACTERS: Final = 255
MAX_NAMESPACE_LEVELS: Final = 16
CATALOG_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
_NOT_IN_NAMES: Final = rf"*?\[\]{{}}{UNSEEN}"
TABLE_NAME: Final = rf"^[^\s{_NOT_IN_NAMES}]([^{_NOT_IN_NAMES}]*[^\s{_NOT_IN_NAMES}])?$"
"""Pattern of names of tables and namespace levels in the API description; their length is described separately."""
_CATALOG: Final = re.compile(CATALOG_NAME)
_GLOB: Final = frozenset("*?[]{}")


def check_catalog_name(name: str) -> None:
    """Raise `InvalidInput` unless the name is 1 to 64 letters, digits, `_` or `-`, beginning with a letter or digit."""
    if not _CATALOG.fullmatch(name):
        problem = FieldProblem(
            "/name",
            "a catalog's name is 1 to 64 letters, digits, '_' or '-' and begins with a letter or digit",
            name,
            "choose a short name such as 'lake'; it is an address of Packhouse, not of the catalog itself",
        )
        raise InvalidInput("the catalog's name can't be used", problems=(problem,))


def check_table_ref(ref: TableRef) -> None:
    """Raise `InvalidInput` with one problem for each part of the address that is not a valid name."""
    problems = [problem for pointer, part in _parts(ref) if (problem := _problem(pointer, part)) is not None]
    if not 1 <= len(ref.namespace) <= MAX_NAMESPACE_LEVELS:
        message = f"a namespace has 1 to {MAX_NAMESPACE_LEVELS} levels"
        problems.append(FieldProblem("/namespace", message, list(ref.namespace), 'for example ["sales", "eu"]'))
    if problems:
        raise InvalidInput("the table's address can't be used", problems=tuple(problems))


def _parts(ref: TableRef) -> list[tuple[str, str]]:
    return [*((f"/namespace/{level}", name) for level, name in enumerate(ref.namespace)), ("/name", ref.name)]


def _problem(pointer: str, name: str) -> FieldProblem | None:
    if not name or name != name.strip():
        return FieldProblem(pointer, "a name is not empty and has no space at its ends", name)
    if len(name) > MAX_NAME_CHARACTERS:
        return FieldProblem(pointer, f"a name has at most {MAX_NAME_CHARACTERS} characters", name[:40] + "…")
    if not is_one_line(name):
        return FieldProblem(pointer, "a name has no control characters", name)
    if found := sorted(_GLOB & set(name)):
        return FieldProblem(
            pointer,
            f"a name has no glob characters; found {' '.join(found)}",
            name,
            "register tables one by one",
        )
    return None
