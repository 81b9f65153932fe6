"""Every kind of catalog of Iceberg that runs in tests, each with a lake whose writer is PyIceberg's own client."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyiceberg.catalog.hive
import pytest

from engine.formats.iceberg.catalog.rest.tls import CLIENT, TRUSTED
from engine.formats.intake.catalogs.metastores.clients import AnyRelease
from tests.support.faulty_proxy import FaultyProxy
from tests.support.glue_server import open_glue
from tests.support.hive.certificates import Authority
from tests.support.hive.metastore import Metastore
from tests.support.nessie_server import Nessie
from tests.support.signed_requests import Signatures

Lake = dict[str, dict[str, str]]
"""Arguments of `open_world`: `settings` for writers, `registered` for Packhouse."""


@contextmanager
def _sql(_request: pytest.FixtureRequest, folder: Path) -> Iterator[Lake]:
    registered = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
    yield {"settings": {**registered, "init_catalog_tables": "true"}, "registered": registered}


@contextmanager
def _rest(request: pytest.FixtureRequest, _folder: Path) -> Iterator[Lake]:
    settings = {"type": "rest", "uri": request.getfixturevalue("iceberg_rest_url")}
    yield {"settings": settings, "registered": settings}


@contextmanager
def _signed(request: pytest.FixtureRequest, folder: Path) -> Iterator[Lake]:
    """Requests are signed, and sent by TLS to a server that wants a certificate of its clients."""
    url: str = request.getfixturevalue("iceberg_rest_url")
    signed = {
        "rest.sigv4-enabled": "true",
        "rest.signing-name": "glue",
        "client.region": "eu-central-1",
        "client.access-key-id": "env:SIGNER_KEY",
        "client.secret-access-key": "env:SIGNER_SECRET",
        TRUSTED: "env:LAKE_AUTHORITY",
        CLIENT: "env:LAKE_CLIENT",
    }
    authority = Authority("lake")
    folder.mkdir(exist_ok=True)
    server = FaultyProxy(url, tls=authority.context(folder, asks_clients=True))
    with server.running() as proxy, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGNER_KEY", "lake")
        patch.setenv("SIGNER_SECRET", "secret")
        patch.setenv("LAKE_AUTHORITY", authority.pem)
        patch.setenv("LAKE_CLIENT", authority.client())
        proxy.before = Signatures({"lake": "secret"}, service="glue", region="eu-central-1")
        yield {
            "settings": {"type": "rest", "uri": url},
            "registered": {"type": "rest", "uri": proxy.url, **signed},
        }


@contextmanager
def _glue(_request: pytest.FixtureRequest, _folder: Path) -> Iterator[Lake]:
    with open_glue() as glue:
        yield {"settings": glue.writers(), "registered": glue.settings()}


def _hive(fixture: str) -> Callable[[pytest.FixtureRequest, Path], AbstractContextManager[Lake]]:
    @contextmanager
    def opened(request: pytest.FixtureRequest, folder: Path) -> Iterator[Lake]:
        metastore: Metastore = request.getfixturevalue(fixture)
        settings = {"type": "hive", "uri": metastore.uri}
        with pytest.MonkeyPatch.context() as patch:
            # PyIceberg knows no call of release 4
            patch.setattr(pyiceberg.catalog.hive, "Client", lambda protocol: AnyRelease(protocol, set()))
            yield {"settings": {**settings, "warehouse": f"file://{folder}/warehouse"}, "registered": settings}
        with metastore.client() as client:
            client.drop_database("lake", deleteData=False, cascade=True)

    return opened


@contextmanager
def _nessie(request: pytest.FixtureRequest, _folder: Path) -> Iterator[Lake]:
    nessie: Nessie = request.getfixturevalue("nessie")
    uri = nessie.branch()
    yield {"settings": nessie.writers(uri), "registered": nessie.properties(uri)}


KINDS: dict[str, Callable[[pytest.FixtureRequest, Path], AbstractContextManager[Lake]]] = {
    "sql": _sql,
    "rest": _rest,
    "signed_rest": _signed,
    "glue": _glue,
    "hive_2": _hive("metastore"),
    "hive_3": _hive("metastore_3"),
    "hive_4": _hive("metastore_4"),
    "nessie": _nessie,
}

DEEP = frozenset({"hive_3"})
"""Kinds that the deep suite alone runs."""


def lake_in(kind: str, request: Any, folder: Path) -> AbstractContextManager[Lake]:
    """Return a block in which the catalog of this kind runs, whose database `lake` is empty."""
    return KINDS[kind](request, folder)
