"""Check whether this version of Packhouse can use the schema of a database.

Schemas are numbered by their migrations. A migration normally only adds (expands), so versions written for an earlier
schema keep working. A migration that removes something (contracts) declares it: its module sets `oldest_supported` to
the oldest schema that a process must support to use the database afterwards. `upgrade` stores the greatest of these in
`schema_support`, where versions that do not contain the migration read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from sqlalchemy import Connection, inspect, text

from engine.domain.errors import SchemaUnsupported
from engine.stores.migrations import versions

REMEDY: Final = "run `packhouse-server migrate` of this version with the same settings, then start it again"


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """A database's schema (None: it has none) and the oldest schema a process must support to use it (None: any)."""

    number: str | None
    oldest_supported: str | None


@cache
def migrations() -> Mapping[str, Any]:
    """Return the migration modules by number, in order."""
    names = sorted(module.name for module in iter_modules(versions.__path__))
    modules = [import_module(f"{versions.__name__}.{name}") for name in names]
    return {module.revision: module for module in modules}


def known_schema() -> str:
    """Return the number of the newest schema that this version supports."""
    return max(migrations())


def oldest_supported() -> str:
    """Return the oldest schema that a process must support to use a database with the newest schema."""
    return max(getattr(module, "oldest_supported", "") for module in migrations().values())


def stored_schema(connection: Connection) -> StoredSchema:
    """Return the schema stored in a database."""
    tables = inspect(connection)
    if not tables.has_table("alembic_version"):
        return StoredSchema(None, None)
    number = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if not tables.has_table("schema_support"):
        return StoredSchema(number, None)
    return StoredSchema(number, connection.execute(text("SELECT oldest_supported FROM schema_support")).scalar_one())


def check_schema(stored: StoredSchema) -> str:
    """Check that this version can use a schema: its own, or a newer one that supports it. Return its number.

    Raises:
        SchemaUnsupported: the schema is older, or newer and not usable by this version; the message has the remedy.
    """
    known = known_schema()
    if stored.number is None:
        raise SchemaUnsupported(f"the database has no schema yet, this version needs schema {known}: {REMEDY}")
    if stored.number < known:
        raise SchemaUnsupported(
            f"the database is at schema {stored.number}, this version needs schema {known}: {REMEDY}"
        )
    check_not_too_new(stored)
    return stored.number


def check_not_too_new(stored: StoredSchema) -> None:
    """Check that the database's schema, if it is newer, supports processes of this version.

    Raises:
        SchemaUnsupported: the schema is newer and does not support this version.
    """
    known = known_schema()
    if stored.number is None or stored.number <= known:
        return
    if stored.oldest_supported is None or stored.oldest_supported > known:
        raise SchemaUnsupported(
            f"the database is at schema {stored.number}, which versions that know schema {stored.oldest_supported} or "
            f"newer can use, and this version knows schema {known}: start the version that migrated the database, or "
            "one after it"
        )
