"""Paimon's own server of REST catalogs, from the tests of Paimon's core, in the process of the core."""

from collections.abc import Mapping
from typing import Any

import jpype

from tests.support.paimon.core_changes import java


class RestServers:
    """Calls about servers, each with the folder of its tables. A server has one catalog, by its folder's name."""

    def __init__(self, scratch: str) -> None:
        self._folder = scratch
        self._servers: dict[str, Any] = {}

    def start_server(
        self, *, warehouse: str, name: str, token: str, prefix: str, store: Mapping[str, str] | None = None
    ) -> str:
        """Start a server and return its address; `store`: options of the object store that has the warehouse."""
        settings = jpype.java.util.HashMap({"prefix": prefix})
        config = java("rest.responses.ConfigResponse")(settings, jpype.java.util.HashMap())
        provider = java("rest.auth.BearTokenAuthProvider")(token)
        server = java("rest.RESTCatalogServer")(self._folder if store else warehouse, provider, config, name)
        # requests come from several threads, and each is recorded
        _set(server, "receivedHeaders", jpype.java.util.Collections.synchronizedList(jpype.java.util.ArrayList()))
        if store:  # the server knows only local folders
            _set(server, "catalog", _catalog(warehouse, store))
        server.start()
        self._servers[warehouse] = server
        return str(server.getUrl()).rstrip("/")

    def stop_server(self, *, warehouse: str) -> None:
        self._servers.pop(warehouse).shutdown()

    def refuse_table(self, *, warehouse: str, table: str) -> None:
        """Let the server answer 403 to requests about a table."""
        self._servers[warehouse].addNoPermissionTable(java("catalog.Identifier").create("lake", table))

    def refuse_database(self, *, warehouse: str, database: str) -> None:
        """Let the server answer 403 to requests about a database."""
        self._servers[warehouse].addNoPermissionDatabase(database)

    def lose_answers(self, *, is_on: bool) -> None:
        """Let servers answer 500 to a commit after it was made."""
        java("rest.RESTCatalogServer").commitSuccessThrowException = is_on


def _catalog(warehouse: str, store: Mapping[str, str]) -> Any:
    options = java("options.Options")()
    for name, value in {"warehouse": warehouse, **store}.items():
        options.set(name, value)
    path, context = java("fs.Path")(warehouse), java("catalog.CatalogContext").create(options)
    return java("rest.RESTFileSystemCatalog")(java("fs.FileIO").get(path, context), path, context)


def _set(server: Any, name: str, value: Any) -> None:
    field = server.getClass().getDeclaredField(name)
    field.setAccessible(True)
    field.set(server, value)
