"""Connections to Google Cloud Storage and Azure by the properties of PyIceberg and of Iceberg's own clients."""

from typing import Any

import pytest

from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.answers import StoreError, is_expired
from engine.rewriting.kernel.storage.stores import azure, google
from engine.rewriting.kernel.storage.stores.connections import whole_files_of
from tests.support.azure_server import AzureServer

HOST = "account.dfs.core.windows.net"
PLACE = f"lake@{HOST}"
KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


@pytest.mark.parametrize(
    ("properties", "config", "credential"),
    [
        ({}, {}, None),
        ({"gcs.oauth2.token": "t"}, {"bearer_token": "t"}, {"token": "t"}),
        ({"gcs.no-auth": "true"}, {"skip_signature": True}, None),
        ({"gcs.no-auth": "true", "gcs.oauth2.token": "t"}, {"bearer_token": "t"}, {"token": "t"}),
        ({"gcs.service.host": "http://store:1/"}, {"base_url": "http://store:1"}, None),
        ({"gcs.service.host": "store"}, {"base_url": "https://store"}, None),
    ],
)
def test_google_is_reached_by_its_properties(
    properties: dict[str, str], config: dict[str, Any], credential: dict[str, str] | None
) -> None:
    found = google.connection("lake", properties)
    assert (found.config, found.credential) == (config, credential)
    assert found.client["allow_http"] is properties.get("gcs.service.host", "").startswith("http://")


def test_the_requester_pays_google_and_objects_are_encrypted_with_a_key_of_the_client() -> None:
    properties = {"gcs.requester-pays": "true", "gcs.project-id": "p", "gcs.encryption-key": KEY}
    headers = google.connection("lake", properties).client["default_headers"]
    assert headers == {
        "x-goog-user-project": "p",
        "x-goog-encryption-algorithm": "AES256",
        "x-goog-encryption-key": KEY,
        "x-goog-encryption-key-sha256": "Yw3NKWbEM2aRElRIu7JbT/QSpJxzLbLIq8G4WBvXEN0=",
    }
    assert "default_headers" not in google.connection("lake", {"gcs.project-id": "p"}).client


@pytest.mark.parametrize("bucket", ["", "a", "a/b", "a@evil.org", "evil.org#", "a b", "A"])
def test_a_name_that_no_bucket_of_google_has_is_refused(bucket: str) -> None:
    with pytest.raises(Refused, match="is not the name of a bucket"):
        whole_files_of("gs", bucket, {}, is_patient=False)


def test_two_keys_for_one_object_are_refused() -> None:
    with pytest.raises(Refused, match="one key is used for both"):
        google.connection("lake", {"gcs.encryption-key": KEY, "gcs.decryption-key": "AAAA"})


BLOB = "https://account.blob.core.windows.net"
SAS = f"adls.sas-token.{HOST}"


@pytest.mark.parametrize(
    ("place", "properties", "config", "credential"),
    [
        (PLACE, {"adls.account-key": "k"}, {"account_key": "k"}, {"access_key": "k"}),
        ("lake", {"adls.account-name": "account", "adls.account-key": "k"}, {"account_key": "k"}, {"access_key": "k"}),
        (PLACE, {SAS: "?sig=s"}, {"sas_key": "sig=s"}, {"sas_token": "sig=s"}),
        (
            PLACE,
            {"adls.sas-token.account.blob.core.windows.net": "sig=s"},
            {"sas_key": "sig=s"},
            {"sas_token": "sig=s"},
        ),
        (PLACE, {"adls.sas-token": "s", "adls.account-name": "account"}, {"sas_key": "s"}, {"sas_token": "s"}),
        (PLACE, {"adls.token": "t"}, {"token": "t"}, {"token": "t"}),
        (PLACE, {"adls.anon": "true", SAS: "s"}, {"skip_signature": True}, None),
        (
            PLACE,
            {"adls.client-id": "i", "adls.client-secret": "s", "adls.tenant-id": "t"},
            {"client_id": "i", "client_secret": "s", "tenant_id": "t"},
            None,
        ),
        (
            "lake",
            {"adls.connection-string": "AccountName=account;AccountKey=k==;EndpointSuffix=core.windows.net"},
            {"account_key": "k=="},
            {"access_key": "k=="},
        ),
        (
            "lake",
            {"adls.connection-string": f"AccountName=account;SharedAccessSignature=sig=s;BlobEndpoint={BLOB}/"},
            {"sas_key": "sig=s"},
            {"sas_token": "sig=s"},
        ),
        (PLACE, {}, {}, None),
    ],
)
def test_azure_is_reached_by_its_properties(
    place: str, properties: dict[str, str], config: dict[str, Any], credential: dict[str, str] | None
) -> None:
    found = azure.connection(place, properties)
    assert (found.config, found.credential) == ({"account_name": "account", "endpoint": BLOB} | config, credential)
    kept = found.without_credential().config
    assert kept == {
        name: value for name, value in found.config.items() if name not in {"sas_key", "account_key", "token"}
    }


@pytest.mark.parametrize(
    ("place", "properties", "endpoint"),
    [
        ("lake@account.blob.core.chinacloudapi.cn", {}, "https://account.blob.core.chinacloudapi.cn"),
        (
            "lake",
            {
                "adls.account-name": "abc",
                "adls.blob-storage-authority": "127.0.0.1:1",
                "adls.blob-storage-scheme": "http",
            },
            "http://127.0.0.1:1/abc",
        ),
        (
            "lake",
            {"adls.account-name": "abc", "adls.blob-storage-authority": ".blob.example"},
            "https://abc.blob.example",
        ),
        (
            "lake@abc.dfs.example",
            {
                "adls.account-name": "abc",
                "adls.blob-storage-authority": ".blob.example",
                "adls.dfs-storage-authority": ".dfs.example",
            },
            "https://abc.blob.example",
        ),
        ("lake@h.example", {"adls.account-name": "abc", "adls.account-host": "h.example"}, "https://h.example"),
    ],
)
def test_clouds_and_emulators_have_addresses_of_their_own(
    place: str, properties: dict[str, str], endpoint: str
) -> None:
    assert azure.connection(place, properties).config["endpoint"] == endpoint


@pytest.mark.parametrize(
    ("place", "properties", "reason"),
    [
        ("lake@evil.example", {"adls.account-key": "k"}, "is not the host of an account in Azure"),
        ("lake@account.dfs.core.windows.net.evil.example", {}, "is not the host of an account in Azure"),
        ("lake@account.dfs.core.windows.net:8080", {}, "is not the host of an account in Azure"),
        ("lake@u@account.dfs.core.windows.net", {}, "is not the host of an account in Azure"),
        (PLACE, {"adls.account-name": "mine", "adls.account-key": "k"}, "the account is not that of adls.account-name"),
        (PLACE, {"adls.sas-token": "s"}, "may be for another account than account: set adls.account-name"),
        ("lake", {}, "has no account: set adls.account-name"),
        ("lake", {"adls.account-name": "x.evil.example/"}, "has no account"),
        ("l/../x@account.dfs.core.windows.net", {}, "is not the name of a container"),
        ("", {"adls.account-name": "account"}, "is not the name of a container"),
    ],
)
def test_a_path_that_its_properties_do_not_agree_with_is_refused(
    place: str, properties: dict[str, str], reason: str
) -> None:
    with pytest.raises(Refused, match="unsupported_storage") as refused:
        whole_files_of("abfs", place, properties, is_patient=False)
    assert reason in str(refused.value)


def test_a_signature_is_in_no_error(azure: AzureServer) -> None:
    properties = azure.properties() | {"adls.sas-token": "sv=2020-12-06&sig=Topsecret"}
    del properties["adls.account-key"]
    files = whole_files_of("abfs", azure.container, properties, is_patient=False)
    assert files is not None
    tries = (
        lambda: files.open("x", 1).read(0, 1),
        lambda: files.open("x", None),
        lambda: files.create("x").finish(),
        lambda: files.delete("x"),
        lambda: list(files.files("x", is_recursive=True)),
        lambda: files.replace("x", b""),
    )
    for refused in tries:
        with pytest.raises(StoreError) as error:
            refused()
        assert "403" in str(error.value)
        assert "Topsecret" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "Generic GCS error: Error performing GET x in 1ms - Server returned non-2xx status code: 401 Unauthorized: ",
        "status code: 403 Forbidden: <Code>AuthenticationFailed</Code>Signature not valid in the specified time frame",
        "status code: 400 Bad Request: <Code>ExpiredToken</Code>",
    ],
)
def test_the_end_of_credentials_is_known_by_each_clouds_words(text: str) -> None:
    assert is_expired(text)
