"""`PackhouseHook`: the Python SDK of Packhouse with the address and the API key of an Airflow connection."""

import asyncio
from typing import Any, Final

from airflow.sdk import BaseHook, Connection
from packhouse_client import AsyncPackhouse, Packhouse, PackhouseError

DEFAULT_CONNECTION: Final = "packhouse_default"


class PackhouseHook(BaseHook):
    """Clients of the server that a connection names.

    Fields of the connection: `host` is the address, such as `https://packhouse.example`, or a host name with `port` and
    `schema` (`https` unless it is given); `password` is the API key. An address has no path besides its prefix.
    """

    conn_name_attr = "packhouse_conn_id"
    default_conn_name = DEFAULT_CONNECTION
    conn_type = "packhouse"
    hook_name = "Packhouse"

    def __init__(self, packhouse_conn_id: str = DEFAULT_CONNECTION, **options: Any) -> None:
        super().__init__(**options)
        self.packhouse_conn_id = packhouse_conn_id
        self._found: tuple[str, str] | None = None

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """Return which fields the form of the connection has, and their names."""
        return {
            "hidden_fields": ["login", "extra"],
            "relabeling": {"host": "Address", "password": "API key", "schema": "Scheme"},
            "placeholders": {"host": "https://packhouse.example", "schema": "https", "password": "pkh_…"},
        }

    def get_conn(self) -> Packhouse:
        """Return a client for threads; close it, or use it in a `with` block.

        Raises:
            ValueError: the connection has no address, or not a valid one.
        """
        if self._found is None:
            self._found = address_and_key(self.get_connection(self.packhouse_conn_id))
        return Packhouse(*self._found)

    async def aget_conn(self) -> AsyncPackhouse:
        """Return a client for asyncio; see `get_conn`. It is made in a thread, as certificates are read from disk."""
        found = address_and_key(await self.aget_connection(self.packhouse_conn_id))
        return await asyncio.to_thread(AsyncPackhouse, *found)

    def run_url(self, run_id: str) -> str:
        """Return the address of a run's page in the web console."""
        if self._found is None:
            self._found = address_and_key(self.get_connection(self.packhouse_conn_id))
        return f"{self._found[0]}/console/runs/{run_id}"

    def test_connection(self) -> tuple[bool, str]:
        """Ask the server who the caller is; return whether it answered, and the answer for people."""
        try:
            with self.get_conn() as client:
                caller = client.access.whoami()
        except (PackhouseError, ValueError) as error:
            return False, str(error)
        return True, f"signed in as {caller.subject} with the role {caller.role}"


def address_and_key(connection: Connection) -> tuple[str, str]:
    """Return the server's address, without a slash at the end, and the API key of a connection.

    Raises:
        ValueError: the connection has no host.
    """
    host = (connection.host or "").rstrip("/")
    if not host:
        raise ValueError(f"connection {connection.conn_id}: host is empty; write https://packhouse.example")
    if "://" not in host:
        host = f"{connection.schema or 'https'}://{host}"
    if connection.port:
        host = f"{host}:{connection.port}"
    return host.removesuffix("/v1"), connection.password or ""
