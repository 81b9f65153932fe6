"""Options of the core's S3 file system from the properties of a catalog, and errors of that file system."""

import pytest

from engine.formats.paimon.rewrite.stores import core_storage, store_problem
from engine.formats.paimon.task.errors import CoreFault, fault_of
from engine.formats.paimon.task.stores import without_secrets
from engine.rewriting.kernel.errors import AccessRefused, StorageCredentialsExpired, StorageFault

KEYS = {"s3.access-key-id": "key", "s3.secret-access-key": "secret"}
PROVIDER = "s3.aws.credentials.provider"


def options(properties: dict[str, str]) -> dict[str, str]:
    made = core_storage("s3a://lake/x", properties)
    return {name: value for name, value in made.items() if not {"timeout", "limit", "maximum"} & set(name.split("."))}


@pytest.mark.parametrize("location", ["/data/lake/x", "hdfs://node/x", "abfss://c@host/x"])
def test_stores_other_than_s3_have_no_options(location: str) -> None:
    assert core_storage(location, KEYS) == {}


def test_keys_endpoint_and_region_are_translated() -> None:
    assert options({**KEYS, "s3.endpoint": "minio:9000", "s3.region": "eu-1"}) == {
        "s3.path.style.access": "true",
        "s3.access-key": "key",
        "s3.secret-key": "secret",
        "s3.endpoint": "https://minio:9000",
        "s3.endpoint.region": "eu-1",
    }
    assert options({"client.region": "eu-2", "s3.endpoint": "http://h"})["s3.endpoint.region"] == "eu-2"
    assert options({"s3.endpoint": "http://h"})["s3.endpoint.region"] == "us-east-1"
    assert options({"s3.force-virtual-addressing": "true"})["s3.path.style.access"] == "false"
    assert core_storage("s3://lake/x", {"s3.request-timeout": "2.5"})["s3.connection.timeout"] == "2500ms"


def test_temporary_keys_and_anonymous_access_have_their_providers() -> None:
    assert options({**KEYS, "s3.session-token": "t"})[PROVIDER].endswith(".TemporaryAWSCredentialsProvider")
    anonymous = options({**KEYS, "s3.anonymous": "true"})
    assert anonymous[PROVIDER].endswith(".AnonymousAWSCredentialsProvider")
    assert not {"key", "secret"} & set(anonymous.values())
    assert PROVIDER not in options({"s3.region": "eu-1"})  # the executor's own credentials


@pytest.mark.parametrize(
    ("location", "properties", "problem"),
    [
        ("/data/x", {}, None),
        ("hdfs://node/x", {"hdfs.host": "node"}, None),
        ("s3://lake/x", KEYS, None),
        ("s3://lake/x", {"s3.sse.type": "none"}, None),
        ("s3://lake/x", {"s3.sse.type": "kms", "s3.role-arn": "r"}, "no option for: s3.role-arn, s3.sse.type"),
        ("gs://lake/x", {}, "no release for Paimon 1.4.2"),
        ("abfss://c@host/x", {}, "no release for Paimon 1.4.2"),
        ("ftp://host/x", {}, "unknown store"),
    ],
)
def test_a_store_that_the_core_can_not_reach_has_a_reason(
    location: str, properties: dict[str, str], problem: str | None
) -> None:
    found = store_problem(location, properties)
    assert (found is None) if problem is None else (problem in str(found))


@pytest.mark.parametrize(
    ("causes", "kind"),
    [
        (["java.nio.file.AccessDeniedException: s3://x: 403"], AccessRefused),
        (["java.io.UncheckedIOException: x", "org.apache.hadoop.fs.s3a.AWSBadRequestException: 400"], AccessRefused),
        (["x.S3Exception: ExpiredToken (Service: S3, Status Code: 400)"], StorageCredentialsExpired),
        (["java.lang.RuntimeException: x", "java.net.ConnectException: Connection refused"], StorageFault),
        (["org.apache.hadoop.fs.s3a.AWSStatus500Exception: x"], StorageFault),
        (["x.S3Exception: slow down (Service: S3, Status Code: 503, Request ID: 1)"], StorageFault),
        (["java.lang.RuntimeException: java.net.ConnectException of a row"], CoreFault),
        (["java.io.FileNotFoundException: s3://lake/x"], CoreFault),
    ],
)
def test_errors_of_stores_are_told_apart_by_their_classes(causes: list[str], kind: type[Exception]) -> None:
    assert type(fault_of(causes)) is kind


def test_credentials_are_removed_from_texts() -> None:
    storage = {"s3.access-key": "AKIA1234", "s3.secret-key": "s3cr3t", "s3.session.token": "x", "s3.endpoint": "http"}
    assert without_secrets("AKIA1234 s3cr3t x http", storage) == "*** *** x http"
