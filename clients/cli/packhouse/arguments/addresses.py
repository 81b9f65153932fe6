"""Names of tables on the command line: the id, or the address `catalog.namespace.name`."""

from difflib import get_close_matches
from typing import Any

from packhouse_client import addresses
from packhouse_client.errors import NotFound

from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError
from packhouse.session import Session

_LISTED = 1000


def split_address(address: str) -> tuple[str, list[str], str]:
    """Return catalog, namespace levels and name.

    Raises:
        CommandError: fewer than three parts, or an empty one.
    """
    try:
        return addresses.split_address(address)
    except ValueError:
        hint = "write catalog.namespace.name, or a table's id"
        raise CommandError(f"{address!r} is not a table", ExitCode.USAGE, hint) from None


def address_of(table: dict[str, Any]) -> str:
    """Return a registered table's address."""
    return addresses.join_address(table["catalog"], table["namespace"], table["name"])


def find_table(session: Session, table: str) -> dict[str, Any]:
    """Return the registered table that an id or an address names.

    Raises:
        CommandError: none is registered.
    """
    if table.startswith("tbl_"):
        found: dict[str, Any] = session.ask(session.client.tables.get, table)
        return found
    catalog, _, _ = split_address(table)
    try:
        found = session.ask(session.client.tables.get, table)
    except NotFound:
        raise _unknown(session, table, catalog) from None
    return found


def _unknown(session: Session, table: str, catalog: str) -> CommandError:
    near = get_close_matches(table, _addresses(session, catalog), n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    hint = f"{meant}`packhouse tables list` shows what your key may see; `packhouse tables register {table}` adds it"
    return CommandError(f"no table {table} is registered", ExitCode.NOT_FOUND, hint)


def _addresses(session: Session, catalog: str) -> list[str]:
    return [address_of(found) for found in session.pages(session.client.tables.list, limit=_LISTED, catalog=catalog)]


def table_id(session: Session, table: str) -> str:
    """Return the id of the table that an id or an address names."""
    return table if table.startswith("tbl_") else str(find_table(session, table)["id"])
