"""Credentials that a REST catalog vends are renewed while the service reads, lists and deletes files of a table."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.domain.errors import CredentialsExpired
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.formats.removal.listings import files_below
from engine.rewriting.kernel.storage import credentials
from engine.rewriting.kernel.storage.credentials import RenewedStorage
from tests.support.iceberg_tables import edit_metadata
from tests.support.rest_catalog import RestCatalogServer
from tests.support.s3_server import BUCKET, Asked, S3Server
from tests.support.world import NAME, Lake, make_lake


@dataclass
class Vended:
    """A table in S3 whose catalog vends another key each time; `ends`: so many seconds later, None: it is not told."""

    s3: S3Server
    server: RestCatalogServer
    lake: Lake
    ends: float | None = 30.0
    keys: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def vend(self) -> dict[str, str]:
        self.keys.append(f"key{len(self.keys)}")
        told = (
            {} if self.ends is None else {"s3.session-token-expires-at-ms": str(int((time.time() + self.ends) * 1000))}
        )
        return {"s3.access-key-id": self.keys[-1], "s3.secret-access-key": "x", "s3.session-token": "t", **told}

    def open(self) -> IcebergTable:
        """Open the table; then its key expires."""
        places = {"s3.endpoint": self.s3.url, "s3.region": "us-east-1"}
        connection = IcebergFormat().connect("lake", {"type": "rest", "uri": self.server.uri, **places})
        opened = connection.open_table(TableRef("lake", NAME[:1], NAME[1]))
        self.s3.expired |= set(self.keys)
        self.s3.on_request = self._note
        return opened

    def _note(self, asked: Asked) -> None:
        self.used |= {asked.access_key} - {"writer"}  # by which the server itself reads metadata


@pytest.fixture
def vended(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vended]:
    monkeypatch.setattr(credentials, "LEAST_SECONDS", 0.0)  # a table of a few milliseconds has several requests
    own = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"s3://{BUCKET}/renewed"}
    settings = own | {"init_catalog_tables": "true"} | s3.properties("writer", "secret")
    lake = make_lake(tmp_path / "lake", days=2, files=1, settings=settings)
    with RestCatalogServer(catalog=lake.catalog).running() as server:  # type: ignore[arg-type]
        found = Vended(s3, server, lake)
        server.config = found.vend
        yield found
        s3.on_request = lambda _asked: None
        lake.catalog.close()


@pytest.mark.parametrize("ends", [30.0, None])
@pytest.mark.parametrize("has_endpoint", [False, True])
def test_files_are_read_and_listed_with_renewed_credentials(
    vended: Vended, monkeypatch: pytest.MonkeyPatch, ends: float | None, *, has_endpoint: bool
) -> None:
    """By the endpoint if the server lists it, otherwise by another load; Unity Catalog tells no end."""
    vended.ends = ends
    if ends is None:
        monkeypatch.setattr(credentials, "RENEWED_SECONDS", 0.0)
    if has_endpoint:
        vended.server.list_endpoints()
        vended.server.credentials = vended.vend
    opened = vended.open()
    vended.server.asked.clear()
    assert opened.digest().num_rows == 2
    storage = opened._view.table.io.properties
    assert isinstance(storage, RenewedStorage)
    assert sum(each.num_rows for each in files_below(opened.location, storage, lambda _page: None)) > 2
    assert vended.used <= set(vended.keys[1:])
    assert all(path.endswith("/credentials") is has_endpoint for path in vended.server.asked if "/tables/" in path)
    assert "/tables/" in vended.server.asked[0]


def test_credentials_with_a_far_end_are_kept_and_shared(vended: Vended) -> None:
    vended.ends = 3600.0
    vended.s3.expired.clear()
    opened = vended.open()
    vended.s3.expired.clear()
    assert opened.digest().num_rows == 2
    assert vended.keys == ["key0"]


@pytest.mark.parametrize("own_server", [True, False])
def test_an_address_for_credentials_is_followed_on_the_catalogs_own_server_only(
    vended: Vended, s3: S3Server, *, own_server: bool
) -> None:
    """The catalog's token goes to no other server; there the table is loaded again."""
    named = "v1/namespaces/lake/tables/events/credentials?for=me"
    vended.server.table_config["client.refresh-credentials-endpoint"] = named if own_server else f"{s3.url}/{named}"
    vended.server.credentials = vended.vend
    opened = vended.open()
    s3.asked.clear()
    vended.server.asked.clear()
    assert opened.digest().num_rows == 2
    assert any("for=me" in path for path in vended.server.asked) is own_server
    assert not [each for each in s3.asked if "credentials" in each.key]


def test_another_table_under_the_name_gives_no_credentials(vended: Vended) -> None:
    opened = vended.open()
    edit_metadata(vended.lake.table, lambda body: body.update({"table-uuid": "00000000-0000-0000-0000-000000000001"}))
    vended.s3.expired |= {"key0"}
    with pytest.raises(CredentialsExpired):
        opened.digest()


def test_keys_of_two_answers_never_mix(vended: Vended) -> None:
    """An answer with a new key and without its session token leaves out the token of before."""
    vended.server.list_endpoints()
    vended.server.credentials = lambda: {"s3.access-key-id": "lone", "s3.secret-access-key": "x"}
    opened = vended.open()
    opened.digest()
    storage = opened._view.table.io.properties
    assert "lone" not in storage.credentials.present.values()  # keys without an end are not what is renewed
    assert vended.used <= set(vended.keys[1:])
