"""Object stores whose address a catalog names: their answers are limited and lead to no other server (F59, F62)."""

import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from engine.domain.errors import InvalidInput
from engine.factory import dependencies
from engine.outgoing.bounds import CallLimits
from engine.outgoing.relay import Relay
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.abandoned import IS_ABANDONED, CallAbandoned
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores import clients, connections, hdfs, objects
from engine.rewriting.kernel.storage.stores.listings import http_listings
from engine.services.catalogs.locations import LocationRules
from engine.uris.schemes import AZURE, GOOGLE, S3
from tests.support.hostile.behaviours import Behaviour, Way, answer, http_ways, once
from tests.support.hostile.budgets import error_within
from tests.support.hostile.certificates import self_signed
from tests.support.hostile.clients import DEADLINE_SECONDS, MOST_SECONDS
from tests.support.hostile.servers import HostileServer

SECRETS: Final = {"s3.access-key-id": "key", "s3.secret-access-key": "hidden", "s3.session-token": "hidden"}

EMPTY_PAGE: Final = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"

Operation = Callable[[Any], object]
OPERATIONS: Mapping[str, Operation] = {
    "list": lambda files: list(files.files("t", is_recursive=True)),
    "folders": lambda files: list(files.folders("t")),
    "read": lambda files: files.read("t/x", 0, 1000),
}
_CELLS = [
    (operation, behaviour, way) for operation in OPERATIONS for behaviour, ways in http_ways("").items() for way in ways
]


def stores(url: str) -> Mapping[str, tuple[str, str, Mapping[str, str]]]:
    """Return kind, place and properties of a store at an address."""
    azure = {"adls.account-name": "account", "adls.account-key": "aGlkZGVu", "adls.blob-storage-scheme": "http"}
    return {
        "S3": (S3, "lake", {"s3.endpoint": url, "s3.region": "x", **SECRETS}),
        "Google": (GOOGLE, "lake", {"gcs.service.host": url, "gcs.oauth2.token": "hidden"}),
        "Azure": (AZURE, "lake", {**azure, "adls.account-host": url.removeprefix("http://")}),
    }


def opened(store: str, url: str) -> Any:
    kind, place, properties = stores(url)[store]
    return connections.whole_files_of(kind, place, properties, is_patient=False)


@pytest.fixture
def elsewhere() -> Iterator[HostileServer]:
    with HostileServer(once(answer(b"<ListBucketResult/>"))).running() as server:
        yield server


@pytest.fixture(scope="module")
def relay() -> Relay:
    """The relay of most tests: it serves until the process ends."""
    return Relay(check_peer=lambda _address: None)


@pytest.fixture(autouse=True)
def _relayed(relay: Relay) -> Iterator[None]:
    connections.use_relay(relay)
    yield
    connections.use_relay(None)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the deadlines low: for hostile servers only, as an honest one may take longer on a busy machine."""
    defaults: Any = clients.client_options.__kwdefaults__
    monkeypatch.setitem(defaults, "silent_seconds", DEADLINE_SECONDS)
    monkeypatch.setattr("engine.rewriting.kernel.storage.stores.s3.SILENT_SECONDS", DEADLINE_SECONDS)
    monkeypatch.setattr(objects, "_PAGE_SECONDS", DEADLINE_SECONDS)
    monkeypatch.setattr(http_listings, "_SECONDS", DEADLINE_SECONDS)
    monkeypatch.setattr(objects, "_LARGEST_PAGE", 2**20)  # of chunks of one byte `obstore` reads 2 MB/s


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("operation", "behaviour", "way"), _CELLS)
@pytest.mark.parametrize(
    "store", ["S3", pytest.param("Google", marks=pytest.mark.deep), pytest.param("Azure", marks=pytest.mark.deep)]
)
def test_f59_an_answer_of_a_store_ends_within_its_limits(
    store: str, operation: str, behaviour: Behaviour, way: str, elsewhere: HostileServer
) -> None:
    with HostileServer(http_ways(f"{elsewhere.url}/lake/x")[behaviour][way]).running() as server:
        files = opened(store, server.url)
        error = error_within(MOST_SECONDS, partial(OPERATIONS[operation], files))
    assert isinstance(error, StoreError), repr(error)
    assert server.received
    assert elsewhere.received == []


@pytest.mark.parametrize("store", ["S3", "Google", "Azure"])
def test_f59_a_store_whose_name_resolves_to_another_address_at_the_connect_is_refused(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebind: `obstore` resolves the name on its own, after it was checked; so does the client of the listings."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: resolve("127.0.0.1" if host == "lake.example" else host, *a, **k)
    )
    connections.use_relay(Relay(check_peer=LocationRules(allows_local=False).check_peer))
    with HostileServer(once(answer(b"<ListBucketResult/>"))).running() as server:
        files = opened(store, f"http://lake.example:{server.port}")
        with pytest.raises(StoreError, match="names a forbidden address"):
            files.read("t/x", 0, 10)
        with pytest.raises(InvalidInput, match="names a forbidden address"):
            list(files.folders("t"))
        assert server.received == []


def _endless(store: str) -> Way:
    """Return a way that answers with a page of 1,000 names, and with a token for the next one."""
    name = "t/" + "n" * 1000
    if store == "Azure":
        rows = "".join(f"<BlobPrefix><Name>{name}{number}/</Name></BlobPrefix>" for number in range(1000))
        return once(answer(f"<EnumerationResults>{rows}<NextMarker>x</NextMarker></EnumerationResults>".encode()))
    rows = "".join(f"<CommonPrefixes><Prefix>{name}{number}/</Prefix></CommonPrefixes>" for number in range(1000))
    more = "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>"
    return once(answer(f"<ListBucketResult>{rows}{more}</ListBucketResult>".encode()))


@pytest.mark.parametrize("store", ["S3", "Google", "Azure"])
def test_f62_a_folder_without_an_end_is_an_error_within_its_limits(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_listings, "_MOST_NAMES_BYTES", 8 * 2**20)  # 192 take long on a busy machine
    with HostileServer(_endless(store)).running() as server:
        error = error_within(MOST_SECONDS, partial(OPERATIONS["folders"], opened(store, server.url)))
        assert isinstance(error, StoreError), repr(error)
        assert re.search(rf"{server.url}.* lists more than 8 MiB of names directly in 't'", str(error))


def test_f62_a_listing_that_was_given_up_stops_at_its_next_page() -> None:
    pages = iter([False] * 3)
    token = IS_ABANDONED.set(lambda: next(pages, True))
    try:
        with HostileServer(_endless("S3")).running() as server:
            with pytest.raises(CallAbandoned):
                OPERATIONS["folders"](opened("S3", server.url))
            assert len(server.received) == 3
    finally:
        IS_ABANDONED.reset(token)


def _redirected(properties: Mapping[str, str], kind: str, operation: str) -> bytes:
    """Return the request that another server gets without a relay, when the store redirects to it."""
    connections.use_relay(None)
    with HostileServer(once(answer(b"<ListBucketResult/>"))).running() as elsewhere:
        way = once(answer(b"", status="307 Temporary Redirect", Location=f"http://localhost:{elsewhere.port}/x"))
        with HostileServer(way).running() as server:
            given = {name: value.replace("STORE", f"127.0.0.1:{server.port}") for name, value in properties.items()}
            files: Any = connections.whole_files_of(kind, "lake", given, is_patient=False)
            with suppress(OSError):
                OPERATIONS[operation](files)
            assert b"hidden" in server.received[0]
        return b"".join(elsewhere.received)


_S3 = {"s3.endpoint": "http://STORE", "s3.region": "x", **SECRETS}
_AZURE = {"adls.account-name": "account", "adls.blob-storage-scheme": "http", "adls.account-host": "STORE"}
_GOOGLE = {"gcs.service.host": "http://STORE", "gcs.oauth2.token": "token"}


@pytest.mark.parametrize(
    ("operation", "kind", "properties", "is_sent_on"),
    [
        ("folders", S3, _S3, False),
        ("folders", AZURE, {**_AZURE, "adls.sas-token": "sig=hidden"}, False),
        ("read", S3, {**_S3, "s3.access-key-id": "hidden", "s3.session-token": ""}, False),
        ("read", GOOGLE, {**_GOOGLE, "gcs.oauth2.token": "hidden"}, False),
        ("read", AZURE, {**_AZURE, "adls.token": "hidden"}, False),
        ("read", S3, _S3, True),
        ("read", AZURE, {**_AZURE, "adls.sas-token": "sig=hidden"}, True),
        ("read", GOOGLE, {**_GOOGLE, "gcs.encryption-key": "hiddenhidden"}, True),
    ],
)
def test_f62_a_redirect_on_an_executor_takes_to_another_server_only_what_the_threat_model_names(
    operation: str, kind: str, properties: Mapping[str, str], is_sent_on: bool
) -> None:
    """There is no relay: `obstore` follows, and leaves out the header `Authorization`; listings follow no redirect."""
    asked = _redirected(properties, kind, operation)
    assert bool(asked) == (operation == "read")
    assert (b"hidden" in asked) is is_sent_on


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """The context of servers whose certificate the clients of stores trust."""
    context, trusted = self_signed(tmp_path)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(trusted))
    return context


def test_a_page_of_an_honest_store_is_read_through_tls(tls: ssl.SSLContext) -> None:
    with HostileServer(once(answer(EMPTY_PAGE, kind="application/xml")), tls=tls).running() as honest:
        assert OPERATIONS["list"](opened("S3", honest.url)) == []
        assert OPERATIONS["folders"](opened("S3", honest.url)) == []


@pytest.mark.usefixtures("hurried")
def test_f59_the_limits_hold_through_tls(tls: ssl.SSLContext, elsewhere: HostileServer) -> None:
    elsewhere_by_tls = f"https://127.0.0.1:{elsewhere.port}/lake/x"
    for behaviour, way in ((Behaviour.ENDLESS, "body"), (Behaviour.REDIRECT, "307"), (Behaviour.HUGE, "body")):
        with HostileServer(http_ways(elsewhere_by_tls)[behaviour][way], tls=tls).running() as server:
            call = partial(OPERATIONS["list"], opened("S3", server.url))
            error = error_within(MOST_SECONDS, call)
        assert isinstance(error, StoreError), repr(error)
        assert server.received
    assert elsewhere.received == []


def test_a_store_that_offers_to_keep_its_connection_is_asked_many_times() -> None:
    """The relay ends a connection after an answer, and says so: `obstore` would send the next request into its end."""
    row = b"<Contents><Key>t/x</Key><Size>1</Size><LastModified>2026-11-23T00:00:00Z</LastModified></Contents>"
    page = answer(EMPTY_PAGE.replace(b"</List", row + b"</List"), Connection="keep-alive")
    with HostileServer(once(b"HTTP/1.1 100 Continue\r\n\r\n" + page)).running() as server:
        files = opened("S3", server.url)
        assert [OPERATIONS["list"](files) for _ in range(50)] == [["t/x"]] * 50
    assert len(server.received) == 50


def test_f59_the_service_has_a_relay_by_the_rules_of_its_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hdfs, "_name_nodes", None)  # restored afterwards
    connections.use_relay(None)
    no_core: Any = None
    dependencies._formats(no_core, LocationRules(allows_local=False))
    assert connections._relay is not None
    with pytest.raises(InvalidInput):
        connections._relay.check_peer("169.254.169.254")


@pytest.mark.parametrize("url", ["http://minio:port", "http://minio:99999", "tcp://minio", "http://"])
def test_an_endpoint_that_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="the endpoint of the store"):
        opened("S3", url)


def test_the_relay_connects_within_the_time_of_the_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[CallLimits]()

    def address_for(_relay: Relay, url: str, limits: CallLimits) -> str:
        given.append(limits)
        return url

    monkeypatch.setattr(Relay, "address_for", address_for)
    properties = {**stores("http://127.0.0.1:1")["S3"][2], "s3.connect-timeout": "7"}
    connections.whole_files_of(S3, "lake", properties, is_patient=False)
    assert {each.connect_seconds for each in given} == {7.0}
