"""REST catalogs of DLF: signed requests, which the server compares with what Paimon's own signer makes of them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from engine.domain.errors import Away, CredentialsExpired, InvalidInput, StateConflict
from engine.formats.paimon.catalog.rest.auth import Outgoing
from engine.formats.paimon.catalog.rest.dlf import DlfAuth, algorithm_for, region_in
from engine.formats.paimon.catalog.rest.dlf_keys import DlfKeys, FixedKeys, InstanceKeys, keys_in
from engine.formats.paimon.connection import PaimonFormat
from tests.integration.paimon.catalog_commits import CatalogCommits
from tests.integration.paimon.catalog_discovery import CatalogDiscovery, connected, filled
from tests.support.http_servers import serving
from tests.support.paimon.commits import keyed
from tests.support.paimon.rest_lakes import KEY, REGION, SECRET, DlfLake


class TestDiscovery(CatalogDiscovery):
    """As in every catalog that names its tables."""

    @pytest.fixture
    def lake(self, dlf_lake: DlfLake) -> DlfLake:
        return filled(dlf_lake)


@pytest.mark.parametrize("dlf_lake", ["default", pytest.param("openapi", marks=pytest.mark.deep)], indirect=True)
@pytest.mark.usefixtures("core_child")
class TestCommits(CatalogCommits):
    """As in every catalog whose snapshots the worker publishes; the body of a commit is signed as well."""

    @pytest.fixture
    def lake(self, dlf_lake: DlfLake) -> DlfLake:
        return keyed(dlf_lake)


@pytest.mark.parametrize("dlf_lake", ["default", pytest.param("openapi", marks=pytest.mark.deep)], indirect=True)
def test_names_and_pages_are_signed_as_they_are_sent(dlf_lake: DlfLake) -> None:
    """Names of more than a page, whose token is a parameter; and one that is encoded in the path."""
    for number in range(101):
        replace(dlf_lake, name=f"t{number:03}").create()
    lake = filled(replace(dlf_lake, name="a b~*ä"))
    connection = connected(lake)
    assert len(connection.list_tables(200).identifiers) == 102
    assert connection.open_table(lake.ref).digest().num_rows == 3


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"dlf.access-key-secret": "wrong"}, "check dlf.access-key-id, dlf.access-key-secret"),
        ({"dlf.access-key-id": "unknown"}, "check dlf.access-key-id, dlf.access-key-secret"),
        ({"dlf.security-token": "old"}, "check dlf.access-key-id, dlf.access-key-secret"),
        ({"dlf.region": "cn-beijing"}, "dlf.region (cn-beijing)"),
    ],
)
@pytest.mark.parametrize("dlf_lake", ["default"], indirect=True)
def test_a_wrong_signature_is_refused_at_the_first_step_by_name(
    dlf_lake: DlfLake, changes: dict[str, str], named: str
) -> None:
    (step,) = connected(dlf_lake, **changes).check()
    assert (step.name, step.ok) == ("list_databases", False)
    assert "answers 401" in step.detail
    assert named in step.detail
    assert not any(each in step.detail for each in (SECRET, "for-a-while", "wrong"))


def test_keys_come_from_a_file_that_is_renewed(dlf_lake: DlfLake) -> None:
    """The text of the file, as the reference to it is resolved with each use of the catalog."""
    lake = filled(dlf_lake)
    signed = {name: value for name, value in dlf_lake.signed.items() if "key" not in name and "security" not in name}
    keys = {"AccessKeyId": KEY, "AccessKeySecret": SECRET, "SecurityToken": "for-a-while"}
    old, later = datetime.now(UTC) - timedelta(seconds=5), datetime.now(UTC) + timedelta(hours=1)
    for until in (None, later):
        text = json.dumps(keys | ({} if until is None else {"Expiration": f"{until:%Y-%m-%dT%H:%M:%SZ}"}))
        assert connected(replace(lake, signed={**signed, "dlf.token-path": text})).list_tables(2).identifiers
    text = json.dumps({**keys, "Expiration": f"{old:%Y-%m-%dT%H:%M:%SZ}"})
    with pytest.raises(CredentialsExpired, match=r"the keys of dlf\.token-path expired at 2"):
        connected(replace(lake, signed={**signed, "dlf.token-path": text})).ping()


def made(now: datetime, region: str | None = None, uri: str = "https://cn-hangzhou-vpc.dlf.aliyuncs.com") -> DlfAuth:
    keys = FixedKeys(DlfKeys("access-key-id", "access-key-secret", "securityToken"))
    return DlfAuth(uri=uri, keys=keys, region=region, algorithm=None, now=lambda: now)


def test_the_clock_is_named_if_it_differs() -> None:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert made(now).remedy("Tue, 01 Dec 2026 12:04:59 GMT").startswith("check dlf.access-key-id")
    assert made(now).remedy("").startswith("check dlf.access-key-id")
    assert made(now).remedy("not a date").startswith("check dlf.access-key-id")
    late = made(now).remedy("Tue, 01 Dec 2026 12:10:00 GMT")
    assert late == "the clock of this machine is 600 s behind the server's: set it"
    assert "600 s ahead of" in made(now).remedy("Tue, 01 Dec 2026 11:50:00 GMT")


def test_a_signature_is_the_one_of_paimons_own_test() -> None:
    """`DLFAuthSignatureTest` of 1.4.2."""
    body = b'{"name":"database","options":{"a":"b"}}'
    request = Outgoing("POST", "/v1/paimon/databases", {"k2": "v2", "k1": "v1"}, body)
    headers = made(datetime(2023, 12, 3, 12, 12, 12, tzinfo=UTC)).headers(request)
    assert headers["Authorization"] == (
        "DLF4-HMAC-SHA256 Credential=access-key-id/20231203/cn-hangzhou/DlfNext/aliyun_v4_request,"
        "Signature=c72caf1d40b55b1905d891ee3e3de48a2f8bebefa7e39e4f277acc93c269c5e3"
    )


@pytest.mark.parametrize(
    ("uri", "region", "algorithm"),
    [
        ("https://cn-hangzhou-vpc.dlf.aliyuncs.com", "cn-hangzhou", "default"),
        ("https://pre-ap-southeast-1.dlf.aliyuncs.com", "ap-southeast-1", "default"),
        ("https://DLFNEXT.cn-beijing.aliyuncs.com", "cn-beijing", "openapi"),
        ("http://127.0.0.1:8080", None, "default"),
    ],
)
def test_region_and_algorithm_are_those_of_the_address(uri: str, region: str | None, algorithm: str) -> None:
    assert (region_in(uri), algorithm_for(uri)) == (region, algorithm)


GIVEN = {"type": "rest", "uri": "https://catalog", "warehouse": "lake", "token.provider": "dlf", "dlf.region": "cn-x"}
PAIR = {"dlf.access-key-id": "env:A", "dlf.access-key-secret": "env:B"}


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({}, "dlf.access-key-id"),
        ({"dlf.access-key-id": "env:A"}, "dlf.access-key-secret"),
        ({"dlf.security-token": "env:C", "dlf.token-loader": "ecs"}, "dlf.access-key-id"),
        ({**PAIR, "dlf.token-loader": "ecs"}, "dlf.token-loader"),
        ({**PAIR, "dlf.token-ecs-role-name": "role"}, "dlf.token-loader"),
        ({**PAIR, "token": "env:T"}, "token"),
        ({**PAIR, "dlf.region": "cn/x"}, "dlf.region"),
        ({**PAIR, "dlf.signing-algorithm": "md5"}, "dlf.signing-algorithm"),
        ({"dlf.token-loader": "local_file"}, "dlf.token-loader"),
        ({"dlf.token-path": "/etc/passwd"}, "dlf.token-path"),
        ({"dlf.token-loader": "ecs", "dlf.token-ecs-metadata-url": "http://x/"}, "dlf.token-ecs-metadata-url"),
        ({**PAIR, "dlf.oss-endpoint": "oss.x"}, "dlf.oss-endpoint"),
        ({**PAIR, "data-token.enabled": "maybe"}, "data-token.enabled"),
        ({**PAIR, "packhouse.vended-hosts": "a b"}, "packhouse.vended-hosts"),
        ({**PAIR, "token.provider": "bear", "token": "env:T"}, "dlf.access-key-id"),
    ],
)
def test_wrong_properties_are_refused_by_name(more: dict[str, str], pointer: str) -> None:
    for right in (
        PAIR,
        {**PAIR, "dlf.security-token": "env:C"},
        {"dlf.token-loader": "ecs"},
        {"dlf.token-path": "file:/x"},
    ):
        PaimonFormat().validate({**GIVEN, **right})
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate({**GIVEN, **more})
    assert f"/properties/{pointer}" in [each.pointer for each in failure.value.problems]


def test_a_region_that_no_address_names_is_missing() -> None:
    without = {name: value for name, value in {**GIVEN, **PAIR}.items() if name != "dlf.region"}
    PaimonFormat().validate({**without, "uri": "https://cn-hangzhou-vpc.dlf.aliyuncs.com"})
    PaimonFormat().validate({**without, "dlf.signing-algorithm": "openapi"})
    with pytest.raises(InvalidInput) as failure:
        PaimonFormat().validate(without)
    assert [each.pointer for each in failure.value.problems] == ["/properties/dlf.region"]


@pytest.fixture
def instance() -> Iterator[tuple[str, dict[str, Any]]]:
    """The metadata service of an ECS instance: answers by path."""
    answers: dict[str, Any] = {"asked": []}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers["asked"].append(self.path)
            body = answers.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write((body or "").encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name the library gives it
            """Stay silent."""

    with serving(Handler) as url:
        yield f"{url}/roles/", answers


def test_the_keys_of_an_instance_are_asked_for_and_kept(instance: tuple[str, dict[str, Any]]) -> None:
    url, answers = instance
    until = f"{datetime.now(UTC) + timedelta(hours=5):%Y-%m-%dT%H:%M:%SZ}"
    answers["/roles/"] = "lake-role\n"
    answers["/roles/lake-role"] = json.dumps(
        {"AccessKeyId": KEY, "AccessKeySecret": SECRET, "SecurityToken": "t", "Expiration": until, "Code": "Success"}
    )
    source = InstanceKeys(url=url)
    assert source.keys() == source.keys() == keys_in(answers["/roles/lake-role"], source="it")
    assert answers["asked"] == ["/roles/", "/roles/lake-role"]
    assert SECRET not in repr(source.keys())
    with pytest.raises(StateConflict, match=r"answers 404 for the role other: correct dlf\.token-ecs-role-name"):
        InstanceKeys("other", url=url).keys()
    answers["/roles/"] = "../../admin"
    with pytest.raises(StateConflict, match="names no role"):
        InstanceKeys(url=url).keys()
    answers["/roles/bad"] = "<html>"
    with pytest.raises(StateConflict, match="is not a JSON object with AccessKeyId and AccessKeySecret"):
        InstanceKeys("bad", url=url).keys()
    with pytest.raises(Away, match="the metadata service of the ECS instance"):
        InstanceKeys(url="http://127.0.0.1:9/").keys()


@pytest.mark.parametrize("text", ["[]", "{", '{"AccessKeyId": 1, "AccessKeySecret": "x"}', "[" * 9000, "x" * 20_000])
def test_texts_that_are_no_keys_are_refused_without_them(text: str) -> None:
    with pytest.raises(StateConflict, match=r"^the file is not a JSON object"):
        keys_in(text, source="the file")
    with pytest.raises(StateConflict, match="has an Expiration"):
        keys_in('{"AccessKeyId": "a", "AccessKeySecret": "b", "Expiration": "soon"}', source="the file")


def test_secrets_are_none_of_the_plain_properties() -> None:
    plain = PaimonFormat().plain_properties()
    secrets = ("dlf.access-key-id", "dlf.access-key-secret", "dlf.security-token", "dlf.token-path", "token")
    assert not any(map(plain.have, secrets))
    assert all(map(plain.have, ("dlf.region", "dlf.token-loader", "token.provider", "data-token.enabled")))
    assert REGION
