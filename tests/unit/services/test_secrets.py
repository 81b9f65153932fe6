"""Secrets of catalogs: references are resolved, clear ones are found."""

from pathlib import Path

import pytest

from engine.domain.errors import InvalidInput
from engine.formats.base import PlainProperties
from engine.formats.hive.catalog.properties import PLAIN as OF_HIVE
from engine.formats.iceberg.catalog.known_properties import PLAIN
from engine.formats.paimon.catalog.properties import PLAIN as OF_PAIMON
from engine.services.catalogs.secrets import (
    problems_of_clear_secrets,
    problems_of_own_files,
    resolve_secrets,
    secrets_in,
)


def test_references_are_replaced_and_everything_else_stays(secret_folder: Path) -> None:
    secret = secret_folder / "token"
    secret.write_text("from a file\n")
    properties = {"a": "env:NAME", "b": f"file:{secret}", "warehouse": "file:///srv/lake"}
    properties |= {"c": "env: no", "d": "file:rel"}
    resolved = resolve_secrets(properties, environ={"NAME": "from the environment"})
    assert resolved == properties | {"a": "from the environment", "b": "from a file"}


@pytest.mark.parametrize("reference", ["env:NOT_SET", "file:/no/such/file", "file:/"])
def test_a_reference_to_nothing_is_named(reference: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        resolve_secrets({"token": reference}, environ={})
    assert caught.value.problems[0].pointer == "/properties/token"
    assert caught.value.problems[0].value == reference


def test_neither_large_files_nor_bytes_that_are_no_text_nor_links_to_the_machine_are_read(secret_folder: Path) -> None:
    secret = secret_folder / "token"
    secret.write_bytes(b"x" * (64 * 1024 + 1))
    with pytest.raises(InvalidInput):
        resolve_secrets({"token": f"file:{secret}"}, environ={})
    secret.write_bytes(b"\xff\xfesecret")
    with pytest.raises(InvalidInput) as caught:
        resolve_secrets({"token": f"file:{secret}"}, environ={})
    assert "secret" not in caught.value.problems[0].message.removeprefix("the secret can't be read")
    link = secret_folder / "link"
    link.symlink_to("/proc/self/environ")
    with pytest.raises(InvalidInput):
        resolve_secrets({"token": f"file:{link}"}, environ={})


@pytest.mark.parametrize("of_format", [PLAIN, OF_PAIMON, OF_HIVE])
def test_properties_for_access_to_stores_are_the_same_for_every_format(of_format: PlainProperties) -> None:
    plain = {
        "gcs.service.host": "https://storage.internal",
        "adls.blob-storage-authority": "blob.internal:10000",
        "adls.dfs-storage-scheme": "https",
        "s3.endpoint": "https://s3.internal",
        "hdfs.user": "packhouse",
    }
    assert problems_of_clear_secrets(plain, of_format) == []
    secret = {"s3.secret-access-key": "x", "adls.account-key": "x", "gcs.oauth2.token": "x", "client.secret": "x"}
    assert len(problems_of_clear_secrets(secret, of_format)) == len(secret)


SECRETS: list[dict[str, str]] = [
    {"s3.access-key-id": "AKIA"},
    {"Client.Password": "x"},
    {"oauth2-TOKEN": "x"},
    {"uri": "mysql://root:root@db/lake"},
    {"uri": "redis://:pw@host"},
    {"jdbc": "jdbc:x;password=1"},
    {"adls.connection-string": "DefaultEndpointsProtocol=https;AccountName=lake;AccountKey=abc=="},
    {"uri": "DefaultEndpointsProtocol=https;AccountName=lake;Shared=abc"},
    {"uri": "host=db user=reader passwd=x"},
    {"header.Cookie": "session=abc"},
    {"header.X-Api": "abc"},
    {"hdfs.kerberos_ticket": "/tmp/x"},
    {"s3.sse-kms": "abc"},
    {"anything": "abc"},
    {"uri": "https://ghp_abcdef@catalog.example"},
    {"uri": "https://catalog.example/?code=abc"},
    {"uri": "https://catalog.example/#access=abc"},
    {"uri": "postgresql://db.example/lake?sslpassword=abc"},
    {"uri": "postgresql://db.example/lake?options=-c%20x"},
    {"uri": "thrift://me@hive:9083"},
    {"s3.proxy-uri": "//u:p@proxy:3128"},
    {"warehouse": "abfss://container:key@account/x"},
    {"table-default.owner": "https://u:p@h/"},
]
NO_SECRETS: list[dict[str, str]] = [
    {"uri": "https://catalog.example/api"},
    {"uri": "sqlite:////srv/lake/catalog.db"},
    {"token-refresh-enabled": "false"},
    {"token": "env:TOKEN"},
    {"s3.secret-access-key": "file:/run/secrets/s3"},
    {"warehouse": "s3://bucket/a@b:c"},
    {"uri": "postgresql://reader@host:5432/lake"},
    {"uri": "postgresql+psycopg://reader@a,b/lake?sslmode=require&connect_timeout=5"},
    {"warehouse": "abfss://container@account.dfs.core.windows.net/x"},
    {"S3.Endpoint": "https://s3.example:9000/"},
    {"header.X-Iceberg-Access-Delegation": "vended-credentials"},
    {"header.Cookie": "env:COOKIE"},
    {"table-default.write.format.default": "parquet"},
    {"anything": "true"},
]


def test_what_looks_like_a_secret_is_found_and_what_is_none_passes() -> None:
    for properties in SECRETS:
        found = problems_of_clear_secrets(properties, PLAIN)
        assert [(each.value, each.hint is not None) for each in found] == [(None, True)], properties
    assert [properties for properties in NO_SECRETS if problems_of_clear_secrets(properties, PLAIN)] == []


@pytest.mark.parametrize(
    "reference", ["env:PACKHOUSE_SECRET_KEY", "env:packhouse_database_url", "file:/proc/self/environ"]
)
def test_what_packhouse_itself_runs_by_is_for_no_catalog(reference: str) -> None:
    environ = {"PACKHOUSE_SECRET_KEY": "hunter2", "packhouse_database_url": "hunter2"}
    assert [problem.pointer for problem in problems_of_clear_secrets({"token": reference}, PLAIN)] == [
        "/properties/token"
    ]
    with pytest.raises(InvalidInput) as caught:
        resolve_secrets({"token": reference}, environ=environ)
    assert "hunter2" not in repr(caught.value.problems)


def test_packhouses_own_folder_is_no_place_of_secrets(secret_folder: Path) -> None:
    own = secret_folder / "data"
    own.mkdir()
    (own / "secret.key").write_text("hunter2")
    (secret_folder / "link").symlink_to(own)
    direct, around = f"file:{own}/secret.key", f"file:{secret_folder}/x/../data/secret.key"
    assert [each.value for each in problems_of_own_files({"a": direct, "b": around, "c": "x"}, own)] == [direct, around]
    for reference in (direct, around.replace("x/../", ""), f"file:{secret_folder}/link/secret.key"):
        with pytest.raises(InvalidInput) as caught:
            resolve_secrets({"token": reference}, environ={}, own=own)
        assert "hunter2" not in repr(caught.value.problems)
    (secret_folder / "data2").write_text("fine")
    assert resolve_secrets({"token": f"file:{secret_folder}/data2"}, environ={}, own=own) == {"token": "fine"}


def test_values_that_are_shown_nowhere_are_those_of_references_unknown_names_and_address_parts() -> None:
    properties = {"type": "rest", "uri": "env:URI", "header.Cookie": "session", "odd": "clear-secret"}
    properties["s3.region"] = "eu-1"
    resolved = properties | {"uri": "https://user%3A:p%40ss@c.example/?code=abcd&sslmode=full"}
    parts = {"user%3A", "user:", "p%40ss", "p@ss", "abcd"}
    assert secrets_in(properties, resolved, PLAIN) == {resolved["uri"], "session", "clear-secret", *parts}
