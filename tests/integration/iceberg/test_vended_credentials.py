"""Credentials and addresses that a REST catalog vends: no secret of the host or the owner goes to an address of it.

A hostile catalog names the address of a store that records every request. All clients of the service and of tasks then
try to read, write and list there.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest

from engine.domain.errors import InvalidInput, NotEligible, PackhouseError, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog.file_access import GuardedFileIO
from engine.formats.intake.catalogs.vended import vended
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.credentials import Credentials
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores import connections, objects
from engine.rewriting.kernel.storage.stores.addresses import address_of
from tests.support.iceberg_tables import Lake, append_files
from tests.support.recording_server import RecordingServer
from tests.support.rest_catalog import RestCatalogServer

S3, GOOGLE, AZURE = "s3://bucket/orders", "gs://bucket/orders", "abfss://lake/orders"
SECRET = "0SECRET"
HOSTS_OWN = {
    "AWS_ACCESS_KEY_ID": f"host{SECRET}",
    "AWS_SECRET_ACCESS_KEY": f"host{SECRET}",
    "AWS_SESSION_TOKEN": f"host{SECRET}",
    "AZURE_STORAGE_TOKEN": f"host{SECRET}",
    "AZURE_STORAGE_ACCOUNT_KEY": "SE9TVEtFWQ==",
}
"""Credentials of the machine, as its clients find them."""
OWN = {
    "s3.region": "us-east-1",
    "s3.access-key-id": f"own{SECRET}",
    "s3.secret-access-key": f"own{SECRET}",
    "s3.session-token": f"own{SECRET}",
    "client.profile-name": f"own{SECRET}",
    "gcs.oauth2.token": f"own{SECRET}",
    "adls.token": f"own{SECRET}",
    "adls.blob-storage-scheme": "http",
}
"""Credentials of the catalog's owner."""
NONE_OWN = {"s3.region": "us-east-1", "adls.blob-storage-scheme": "http"}
S3_KEYS = {"s3.access-key-id": "vended", "s3.secret-access-key": "vended"}
ADDRESSES: Mapping[str, Any] = {
    S3: lambda store: {"s3.endpoint": store.url},
    GOOGLE: lambda store: {"gcs.service.host": store.url},
    AZURE: lambda store: {"adls.account-name": "account", "adls.blob-storage-authority": store.host},
}
INCOMPLETE = [
    (S3, {"s3.access-key-id": ""}),
    (S3, {"s3.access-key-id": "vended"}),
    (S3, {"s3.secret-access-key": "vended"}),
    (S3, {"s3.session-token": "vended"}),
    (S3, {"s3.access-key-id": "vended", "client.secret-access-key": "vended"}),
    (S3, {"s3.session-token-expires-at-ms": "9999999999999"}),
    (GOOGLE, {"gcs.oauth2.token": ""}),
    (GOOGLE, {"gcs.oauth2.token-expires-at": "9999999999999"}),
    (AZURE, {"adls.sas-token": ""}),
    (AZURE, {"adls.token": ""}),
    (AZURE, {"adls.sas-token-expires-at-ms.x": "9999999999999"}),
]
COMPLETE = [
    (S3, S3_KEYS),
    (S3, S3_KEYS | {"s3.session-token": ""}),
    (S3, {name.replace("s3.", "client."): value for name, value in S3_KEYS.items()}),
    (GOOGLE, {"gcs.oauth2.token": "vended"}),
    (AZURE, {"adls.token": "vended"}),
    (AZURE, {"adls.sas-token": "sig=vended"}),
    (AZURE, {"adls.sas-token.account.dfs.core.windows.net": "sig=vended"}),
]
OF_ANOTHER_ACCOUNT = (AZURE, {"adls.sas-token.other.dfs.core.windows.net": "sig=vended"})


@pytest.fixture
def store() -> Iterator[RecordingServer]:
    with RecordingServer().running() as running:
        yield running


@pytest.fixture
def server(lake: Lake) -> Iterator[RestCatalogServer]:
    append_files(lake.create(), 1)
    with RestCatalogServer(catalog=lake.catalog).running() as running:
        yield running


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordingServer]:
    """The credentials of this machine; for Google Cloud those of its metadata service."""
    with RecordingServer().running() as metadata:
        for name, value in (HOSTS_OWN | {"GCE_METADATA_HOST": metadata.host}).items():
            monkeypatch.setenv(name, value)
        yield metadata


def storage_of(server: RestCatalogServer, own: Mapping[str, str], location: str, told: Mapping[str, str]) -> Any:
    """Return what tasks get for the table, which the catalog says to be at a location in the store."""
    table = server.catalog.load_table(("sales", "orders"))
    metadata = table.metadata.model_dump_json().replace(table.location(), location)
    place = f"{location}/metadata/1.metadata.json"
    body = {"metadata-location": place, "metadata": json.loads(metadata), "config": dict(told)}
    server.answers["sales", "orders"] = json.dumps(body).encode()
    connection = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri, **own})
    return connection.open_table(TableRef("rest", ("sales",), "orders")).engines[Engine.ARROW].task_storage()


def use(properties: Mapping[str, str], location: str) -> None:
    """Read, write and list with every client of the service and of tasks."""
    file_io, name = GuardedFileIO(properties, places=AllowedFolders([location])), f"{location}/x"
    found = address_of(name)

    def exact() -> None:
        store = connections.whole_files_of(found.kind, found.place, properties, is_patient=False)
        if isinstance(store, objects.ObjectFiles) and (listing := store._exact()) is not None:
            list(listing.listed("orders"))

    for work in (
        lambda: file_io.new_input(name).open().read(),
        lambda: file_io.new_output(name).create().write(b"x"),
        lambda: file_io.delete(name),
        lambda: file_io.files(location, is_recursive=True),
        lambda: file_io.files(location, is_recursive=False),
        lambda: Storage(properties=properties, places=[location]).find(name)[0].open(found.path, None),
        exact,
    ):
        with suppress(PackhouseError, Refused, StoreError, OSError):
            work()


def leaks(*servers: RecordingServer) -> list[str]:
    return [asked for each in servers for asked in each.requests if SECRET in asked or "SE9TVEtFWQ" in asked]


@pytest.mark.parametrize("is_own", [True, False], ids=["own", "ambient"])
@pytest.mark.parametrize("case", [*INCOMPLETE, OF_ANOTHER_ACCOUNT, *COMPLETE], ids=lambda case: "-".join(case[1]))
def test_f61_no_secret_of_the_host_or_the_owner_reaches_an_address_of_the_catalogs_answer(
    server: RestCatalogServer,
    store: RecordingServer,
    host: RecordingServer,
    case: tuple[str, dict[str, str]],
    is_own: bool,
) -> None:
    location, told = case
    own = (OWN if is_own else NONE_OWN) | {"packhouse.vended-hosts": store.host}
    properties: Mapping[str, str] = {}
    with suppress(StateConflict):  # incomplete credentials
        properties = storage_of(server, own, location, told | ADDRESSES[location](store))
    if any(store.host in value for name, value in properties.items() if name not in own):
        use(properties, location)
    assert leaks(store) == []
    assert host.requests == []
    assert bool(store.requests) is (case in COMPLETE)
    assert all("vended" in asked for asked in store.requests)


@pytest.mark.parametrize(
    ("location", "told"), [(S3, S3_KEYS), (GOOGLE, {"gcs.oauth2.token": "v"}), (AZURE, {"adls.token": "v"})]
)
def test_f61_an_address_that_the_owner_did_not_allow_is_refused(
    server: RestCatalogServer, store: RecordingServer, location: str, told: dict[str, str]
) -> None:
    own = {"packhouse.vended-hosts": "store.example.org, .cloud.example.org, 127.0.0.1:1"}
    with pytest.raises(StateConflict, match=rf"{store.host} .*list it in packhouse\.vended-hosts"):
        storage_of(server, own, location, told | ADDRESSES[location](store))


def test_f61_a_catalog_can_not_allow_hosts_itself(server: RestCatalogServer, store: RecordingServer) -> None:
    server.settings["overrides"] = {"packhouse.vended-hosts": store.host}
    with pytest.raises(StateConflict, match=r"list it in packhouse\.vended-hosts"):
        storage_of(server, {}, S3, S3_KEYS | ADDRESSES[S3](store))


@pytest.mark.parametrize(
    "address",
    [
        *("http://store.example.org@evil.example", "http://store.example.org:x@evil", "store.example.org#@evil"),
        *("http://evil.example/store.example.org", "http://evil.example?store.example.org", "http://evil\\@store"),
        *("https://evilstore.example.org", "store.example.org.evil.example", "http://store.example.org:1/a", "//store"),
        *("s3.evil.amazonaws.com", "http://s3.us-east-1.amazonaws.com", "s3.us-east-1.amazonaws.com.evil.example"),
    ],
)  # fmt: skip
def test_f61_an_address_that_only_looks_like_an_allowed_host_is_refused(address: str) -> None:
    with pytest.raises(StateConflict, match="do not allow"):
        vended(S3_KEYS | {"s3.endpoint": address}, {}, hosts=["store.example.org", ".inner.example.org"])


@pytest.mark.parametrize(
    "address",
    [
        *("http://store.example.org:9000", "https://STORE.example.org/", "store.example.org", "a.inner.example.org"),
        *(
            "https://s3.eu-central-1.amazonaws.com:443",
            "s3-fips.dualstack.us-gov-west-1.amazonaws.com",
            "s3.amazonaws.com",
        ),
    ],
)
def test_an_allowed_host_and_the_cloud_itself_are_taken(address: str) -> None:
    given = S3_KEYS | {"s3.endpoint": address}
    assert vended(given, {}, hosts=["store.example.org", ".inner.example.org"]) == given


def test_f61_a_key_of_the_owner_that_goes_with_each_request_is_not_sent_to_an_address_of_an_answer() -> None:
    told = S3_KEYS | {"s3.endpoint": "http://store"}
    with pytest.raises(StateConflict, match=r"s3\.sse\.key .* give s3\.endpoint"):
        vended(told, {"s3.sse.type": "custom", "s3.sse.key": "own"}, hosts=["store"])


def test_hosts_that_are_none_are_refused_when_the_catalog_is_stored() -> None:
    given = {"type": "rest", "uri": "https://catalog", "packhouse.vended-hosts": "store.example.org,http://store/"}
    with pytest.raises(InvalidInput) as refused:
        IcebergFormat().validate(given)
    assert [(each.pointer, each.value) for each in refused.value.problems] == [
        ("/properties/packhouse.vended-hosts", "http://store/")
    ]


@pytest.mark.parametrize("later", [OWN, NONE_OWN, S3_KEYS | {"s3.endpoint": "http://127.0.0.1:1"}])
def test_f61_renewed_credentials_are_not_sent_to_an_address_that_the_catalog_named_before(
    store: RecordingServer, later: dict[str, str]
) -> None:
    """A catalog vends keys and an address at first, and none, or others, when they are renewed."""
    first = NONE_OWN | S3_KEYS | ADDRESSES[S3](store) | {"s3.session-token": "t", "s3.session-token-expires-at-ms": "1"}
    times = iter(range(0, 10_000, 100))
    credentials = Credentials(first, lambda: later, clock=lambda: next(times))
    files, path = Storage(properties=first, places=[S3], credentials=credentials).find(f"{S3}/x")
    with pytest.raises((StoreError, FileNotFoundError)):
        files.open(path, None)
    assert store.requests == []


@pytest.mark.parametrize("location", [GOOGLE, AZURE])
def test_f61_without_obstore_no_client_that_uses_the_hosts_credentials_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, store: RecordingServer, location: str
) -> None:
    monkeypatch.setattr(objects, "obstore", None)
    told = {"gcs.oauth2.token": "vended", "adls.token": "vended", "adls.blob-storage-scheme": "http"}
    file_io = GuardedFileIO(told | ADDRESSES[location](store), places=AllowedFolders([location]))
    with pytest.raises(NotEligible, match="needs the package obstore"):
        file_io.new_input(f"{location}/x").open()
    assert store.requests == []
