"""Listings by the stores' own HTTP interfaces: signatures, pages of a folder, refusals, renewed credentials."""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from hypothesis import given
from hypothesis import strategies as st

from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.credentials import Credentials
from engine.rewriting.kernel.storage.stores import connections, s3
from engine.rewriting.kernel.storage.stores.connections import files_of, whole_files_of
from engine.rewriting.kernel.storage.stores.listings import http_listings, list_requests
from engine.rewriting.kernel.storage.stores.object_errors import UnclearName
from tests.support.azure_server import AzureServer
from tests.support.hostile.behaviours import answer, once
from tests.support.hostile.servers import HostileServer
from tests.support.s3_server import BUCKET, S3Server

KEYS: Final = {"s3.access-key-id": "key", "s3.secret-access-key": "secret"}
EU: Final = "https://s3.eu-1.amazonaws.com/lake"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TOKEN = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40)


@given(
    query=st.dictionaries(TEXT, TEXT, max_size=5),
    endpoint=st.sampled_from(["https://store", "http://store:9000", "https://b.store:443", "http://store:80/a%20b"]),
    secret=TOKEN.filter(bool),
    token=TOKEN,
    payer=st.sampled_from([{}, {"x-amz-request-payer": "requester"}]),
)
def test_a_request_to_s3_is_signed_as_botocore_signs_it(
    query: Mapping[str, str], endpoint: str, secret: str, token: str, payer: Mapping[str, str]
) -> None:
    url = f"{endpoint}/lake"
    theirs = AWSRequest("GET", url, headers=dict(payer), params=dict(query))
    S3SigV4Auth(Keys("key", secret, token or None), "s3", "eu-1").add_auth(theirs)
    at = datetime.strptime(theirs.headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    config = {"access_key_id": "key", "secret_access_key": secret, "session_token": token}
    ours = list_requests.signature_v4(url, query, payer, config, region="eu-1", at=at)
    assert ours.pop("host") in url
    assert ours == {name if name == "Authorization" else name.lower(): value for name, value in theirs.headers.items()}


@pytest.mark.parametrize(
    ("properties", "url", "headers"),
    [
        ({"s3.endpoint": "http://store:9000/"}, "http://store:9000/lake", {"x-amz-date", "Authorization"}),
        ({"s3.endpoint": "http://store", "s3.force-virtual-addressing": "true"}, "http://lake.store/", {"x-amz-date"}),
        ({"s3.region": "eu-1"}, EU, {"Authorization"}),
        ({"s3.region": "eu-1", "s3.session-token": "t"}, EU, {"x-amz-security-token"}),
        ({"s3.region": "eu-1", "s3.requester-pays": "true"}, EU, {"x-amz-request-payer"}),
    ],
)
def test_a_bucket_has_the_address_that_its_properties_lead_to(
    properties: Mapping[str, str], url: str, headers: set[str]
) -> None:
    connection = s3.connection("lake", {**KEYS, **properties})
    asked, sent = list_requests.to_s3("lake", connection, {"prefix": "a b/"})
    assert asked == f"{url}?encoding-type=url&list-type=2&max-keys=1000&prefix=a%20b%2F"
    assert headers <= sent.keys()


def test_an_anonymous_request_is_not_signed() -> None:
    connection = s3.connection("lake", {"s3.region": "eu-1", "s3.anonymous": "true"})
    assert list_requests.to_s3("lake", connection, {})[1] == {}


@pytest.mark.parametrize(
    ("variable", "properties"), [("", {}), ("AWS_ENDPOINT_URL", KEYS)], ids=["credentials", "address"]
)
def test_what_only_the_machine_knows_is_left_to_obstore(
    variable: str, properties: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "http://store")
    connection = s3.connection("lake", {"s3.region": "x", **properties})
    assert http_listings.listing_of("s3", "lake", connection) is None


NAMES: Final = ("t/a", "t/b c+d%20", "t/", "t/x/1", "t/x/2", "t/y z+/1", "t2/x")


@pytest.fixture(params=["s3", "azure"])
def stored(request: pytest.FixtureRequest) -> Any:
    """The files of a store with objects of these names."""
    if request.param == "s3":
        moto: S3Server = request.getfixturevalue("s3")
        for name in NAMES:
            moto.put_exactly(name, b"12")
        return files_of("s3", BUCKET, moto.properties("key", "secret"))
    azure: AzureServer = request.getfixturevalue("azure")
    for name in NAMES:
        azure.put(name, b"12")
    return files_of("abfs", azure.container, azure.properties())


@pytest.mark.parametrize("page", [1, 1000])
def test_a_folder_is_listed_page_by_page(stored: Any, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_requests, "PAGE", page)
    assert sorted(stored.files("t", is_recursive=False)) == ["t/a", "t/b c+d%20"]
    assert sorted(stored.folders("t")) == ["t/x", "t/y z+"]
    assert sorted(stored.folders("")) == ["t", "t2"]
    assert list(stored.files("", is_recursive=False)) == list(stored.folders("none")) == []


def row(name: str = "t/x", *, size: str = "1", at: str = "2026-11-23T00:00:00Z") -> str:
    return f"<Contents><Key>{name}</Key><Size>{size}</Size><LastModified>{at}</LastModified></Contents>"


def listing(body: str, *, root: str = "ListBucketResult") -> bytes:
    return answer(f'<{root} xmlns="urn:x">{body}</{root}>'.encode(), kind="application/xml")


FOLDER: Final = listing("<CommonPrefixes><Prefix>t/x/</Prefix></CommonPrefixes>")


def properties_of(url: str) -> dict[str, str]:
    return {"s3.endpoint": url, "s3.region": "x", **KEYS}


def opened(url: str, *, is_patient: bool = False, **more: str) -> Any:
    return whole_files_of("s3", "lake", {**properties_of(url), **more}, is_patient=is_patient)


def test_encoded_names_are_read_as_s3_writes_them() -> None:
    """S3 writes a space as a plus sign, and a plus sign as `%2B`."""
    body = "<EncodingType>url</EncodingType><CommonPrefixes><Prefix>t/a+b%2Bc%252F/</Prefix></CommonPrefixes>"
    with HostileServer(once(listing(body))).running() as server:
        assert list(opened(server.url).folders("t")) == ["t/a b+c%2F"]


def azure_blob(name: str, *, kind: str = "", at: str = "Mon, 23 Nov 2026 00:00:00 GMT") -> str:
    length = f"<Content-Length>0</Content-Length><Last-Modified>{at}</Last-Modified>"
    return f"<Blob><Name>t/{name}</Name><Properties>{length}{kind}</Properties></Blob>"


def files_of_azure(body: str) -> list[str]:
    """Return the files that are directly in a folder of which Azure has this page."""
    with HostileServer(once(listing(body, root="EnumerationResults"))).running() as server:
        host = server.url.removeprefix("http://")
        properties = {"adls.account-name": "account", "adls.account-key": "aGlkZGVu", "adls.account-host": host}
        files: Any = files_of("abfs", "lake", {**properties, "adls.blob-storage-scheme": "http"})
        return list(files.files("t", is_recursive=False))


def test_a_directory_of_azure_is_no_file() -> None:
    """Accounts with a hierarchical namespace list directories among the objects."""
    folder = azure_blob("folder", kind="<ResourceType>directory</ResourceType>")
    assert files_of_azure(azure_blob("file") + folder) == ["t/file"]


@pytest.mark.parametrize("at", ["", "Mon, 23 Nov 2026 00:00:00 +99999999999999999999"])
def test_a_malformed_time_is_an_error_of_azure(at: str) -> None:
    with pytest.raises(StoreError, match="malformed"):
        files_of_azure(azure_blob("file", at=at))


@pytest.mark.parametrize("name", ["", ".", "..", "a%01b"])
def test_a_folder_that_no_path_leads_to_is_refused(name: str) -> None:
    body = f"<EncodingType>url</EncodingType><CommonPrefixes><Prefix>t/{name}/</Prefix></CommonPrefixes>"
    with HostileServer(once(listing(body))).running() as server, pytest.raises(UnclearName, match="can't be addressed"):
        list(opened(server.url).folders("t"))


@pytest.mark.parametrize(
    "body",
    [row(size="many"), row(at="today"), row(at="0001-01-01T00:00:00"), "<IsTruncated>true</IsTruncated>"],
)
def test_a_malformed_page_is_an_error_of_the_store(body: str) -> None:
    with HostileServer(once(listing(body))).running() as server, pytest.raises(StoreError, match="malformed"):
        list(opened(server.url).folders("t"))


def test_a_refusal_has_the_code_of_the_store() -> None:
    refusal = answer(b"<Error><Code>ExpiredToken</Code></Error>", status="400 Bad Request")
    with HostileServer(once(refusal)).running() as server, pytest.raises(StoreError, match="400 ExpiredToken"):
        list(opened(server.url, is_patient=True).folders("t"))


def in_turn(*answers: bytes) -> Callable[[socket.socket], None]:
    """Return a way that sends one answer after another, and the last one from then on."""
    left: Iterator[bytes] = iter(answers[:-1])
    return lambda connection: connection.sendall(next(left, answers[-1]))


BUSY: Final = (answer(b"", status="503 Slow Down"), answer(b"", status="429 Too Many Requests"), b"")


def test_a_busy_store_is_asked_again_by_a_patient_client_only() -> None:
    with HostileServer(in_turn(*BUSY, FOLDER)).running() as server:
        assert list(opened(server.url, is_patient=True).folders("t")) == ["t/x"]
        assert len(server.received) == len(BUSY) + 1
    with HostileServer(in_turn(*BUSY, FOLDER)).running() as server:
        with pytest.raises(StoreError, match="status code: 503"):
            list(opened(server.url).folders("t"))
        assert len(server.received) == 1


def test_a_store_that_stays_busy_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_listings, "_REPETITIONS", 2)
    with HostileServer(once(BUSY[0])).running() as server:
        with pytest.raises(StoreError, match="status code: 503"):
            list(opened(server.url, is_patient=True).folders("t"))
        assert len(server.received) == 3


def test_f61_each_request_of_a_listing_has_the_present_credentials_for_the_same_address() -> None:
    with HostileServer(once(FOLDER)).running() as server, HostileServer(once(FOLDER)).running() as other:
        second = properties_of(server.url) | {"s3.access-key-id": "2nd"}
        renewed = iter((second, properties_of(other.url)))
        credentials = Credentials(properties_of(server.url), lambda: next(renewed))
        files: Any = files_of("s3", "lake", properties_of(server.url), credentials)
        assert list(files.folders("t")) == ["t/x"]
        assert credentials.renew(credentials.present)
        assert list(files.folders("t")) == ["t/x"]
        assert credentials.renew(credentials.present)
        with pytest.raises(StoreError, match="for another address of the store"):
            list(files.folders("t"))
        assert other.received == []
        assert [b"Credential=key/" in server.received[0], b"Credential=2nd/" in server.received[1]] == [True, True]
        assert len(server.received) == 2


def test_a_listing_goes_through_the_proxy_of_its_properties() -> None:
    with HostileServer(once(FOLDER)).running() as proxy:
        files = opened("http://store.example", **{"s3.proxy-uri": f"http://me:hidden@127.0.0.1:{proxy.port}"})
        assert list(files.folders("t")) == ["t/x"]
        assert proxy.received[0].startswith(b"GET http://store.example/lake?delimiter=%2F&")
        assert b"Proxy-Authorization: Basic bWU6aGlkZGVu\r\n" in proxy.received[0]


HTML: Final = answer(b"<html>welcome</html>", kind="text/html")
MORE: Final = "<IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>"


@pytest.mark.parametrize(
    ("after", "answers", "asked"),
    [
        (None, [HTML], b"prefix=t%2F"),
        ("t/a", [HTML], b"start-after=t%2Fa"),
        (None, [listing(row("t/b!") + row("t/b/") + MORE), HTML], b"start-after=t%2Fb%21"),
    ],
    ids=["the first page", "from a path on", "a later page, after a marker with the path `t/b`"],
)
def test_f43_html_is_not_the_end_of_a_listing(
    after: str | None, answers: Sequence[bytes], asked: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that such a listing lacks would count as deleted."""
    monkeypatch.setattr(list_requests, "PAGE", 2)
    with HostileServer(in_turn(*answers)).running() as server:
        with pytest.raises(StoreError, match="answers a listing with the document 'html', which is not a listing"):
            list(opened(server.url).listed("t", after))
        assert asked in server.received[-1]


def test_a_store_that_lists_from_no_path_on_has_each_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_requests, "PAGE", 2)
    with HostileServer(once(listing(row("t/a") + row("t/b")))).running() as server:
        assert list(opened(server.url).files("t", is_recursive=True)) == ["t/a", "t/b"]
        assert len(server.received) == 2


@pytest.fixture(autouse=True)
def _no_relay() -> None:
    connections.use_relay(None)
