"""Paimon's own server of REST catalogs, from the tests of Paimon's core, in the process of the core."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import jpype

from tests.support.paimon.core_changes import java


class RestServers:
    """Calls about servers, each with the folder of its tables. A server has one catalog, by its folder's name."""

    def __init__(self, scratch: str) -> None:
        self._folder = scratch
        self._servers: dict[str, Any] = {}

    def start_server(
        self,
        *,
        warehouse: str,
        name: str,
        token: str,
        prefix: str,
        store: Mapping[str, str] | None = None,
        dlf: Mapping[str, Any] | None = None,
    ) -> str:
        """Start a server and return its address.

        `store`: options of the object store that has the warehouse. `dlf`: it takes signed requests; see `_resigning`.
        """
        settings = jpype.java.util.HashMap({"prefix": prefix})
        config = java("rest.responses.ConfigResponse")(settings, jpype.java.util.HashMap())
        provider = _resigning(**dlf) if dlf else java("rest.auth.BearTokenAuthProvider")(token)
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

    def set_data_token(self, *, warehouse: str, table: str, token: Mapping[str, str], seconds: float) -> None:
        """Let the server give a token for the files of a table, which ends after some seconds."""
        until = jpype.JLong(int((time.time() + seconds) * 1000))
        given = java("rest.RESTToken")(jpype.java.util.HashMap(dict(token)), until)
        self._servers[warehouse].setDataToken(java("catalog.Identifier").create("lake", table), given)

    def lose_answers(self, *, is_on: bool) -> None:
        """Let servers answer 500 to a commit after it was made."""
        java("rest.RESTCatalogServer").commitSuccessThrowException = is_on


_SKEW_SECONDS: Final = 300
_DATES: Final = ("x-dlf-date", "date")


def _resigning(keys: Mapping[str, str], region: str, algorithm: str, security_token: str = "") -> Any:
    """Return a provider that computes the signature of a request again, with Paimon's own signer, from what came.

    `keys`: secrets by access key. Requests of another time, or with another security token, are refused.
    """
    names = {"openapi": "DLFOpenApiSigner", "default": "DLFDefaultSigner"}
    signer = java(f"rest.auth.{names[algorithm]}")(*([region] if algorithm == "default" else []))

    @jpype.JImplements("org.apache.paimon.rest.auth.AuthProvider")  # type: ignore[untyped-decorator]
    class Resigning:
        @jpype.JOverride  # type: ignore[untyped-decorator]
        def mergeAuthHeader(self, headers: Any, parameter: Any) -> Any:  # noqa: N802 - the interface's name
            came = {str(name): str(value) for name, value in headers.items()}
            found = re.search(r"(?:Credential=|acs )([^/:]+)", came.get("authorization", ""))
            key = found[1] if found else ""
            told = came.get("x-dlf-security-token", came.get("x-acs-security-token", ""))
            if key not in keys or told != security_token or not _is_of_now(came):
                return jpype.java.util.HashMap({"Authorization": "another one"})
            token = java("rest.auth.DLFToken")(key, keys[key], None, None)
            for name in ("Accept", "Content-MD5", "Content-Type", "Date"):
                if name.lower() in came:
                    came[name] = came[name.lower()]
            if algorithm == "default":  # it takes the names in lower case only
                came = {name: value for name, value in came.items() if name == name.lower()}
            signature = signer.authorization(parameter, token, "host", jpype.java.util.HashMap(came))
            return jpype.java.util.HashMap({"Authorization": signature})

    return Resigning()


def _is_of_now(headers: Mapping[str, str]) -> bool:
    date = next((headers[name] for name in _DATES if name in headers), "")
    try:
        at = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        at = parsedate_to_datetime(date)
    return abs(at.timestamp() - time.time()) < _SKEW_SECONDS


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
