"""Adapters name the dependency that does not answer, and keep refusals, expiry and faults of one file apart from it."""

import errno
from collections.abc import Callable

import pytest
import requests
from pyiceberg.exceptions import (
    AuthorizationExpiredError,
    BadRequestError,
    ForbiddenError,
    ServerError,
    ServiceUnavailableError,
    TooManyRequestsError,
    UnauthorizedError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy.exc import OperationalError

from engine.domain.errors import Away, CredentialsExpired, PackhouseError, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.iceberg.errors import translated
from engine.queue.connection import reaching_redis
from engine.rewriting.kernel.errors import (
    AccessRefused,
    InputFault,
    KernelError,
    StorageCredentialsExpired,
    StorageFault,
)
from engine.rewriting.kernel.storage.transfer import fault_of

_HEAD = "When reading information for key 'x' in bucket 'b': AWS Error "
_UNREACHABLE = _HEAD + "NETWORK_CONNECTION during HeadObject operation: curlCode: 7, Could not connect to server"
_SLOW_DOWN = _HEAD + "SLOW_DOWN during PutObject operation (HTTP status 503)"
_EXPIRED = _HEAD + "UNKNOWN (HTTP status 400) during CreateMultipartUpload operation: ExceptionName: ExpiredToken"
_NO_REASON = _HEAD + "UNKNOWN (HTTP status 400) during HeadObject operation: No response body."
_NO_BODY = _HEAD + "UNKNOWN (HTTP status 400) during GetObject operation: "
_BAD_RANGE = _HEAD + "UNKNOWN (HTTP status 400) during GetObject operation: ExceptionName: InvalidArgument"
_DENIED = _HEAD + "ACCESS_DENIED during HeadObject operation: No response body."


def _of_iceberg(error: Exception) -> PackhouseError:
    with pytest.raises(PackhouseError) as raised, translated("look"):
        raise error
    return raised.value


def _of_driver(text: str) -> Exception:
    return OperationalError("SELECT 1", {}, Exception(text))


@pytest.mark.parametrize(
    ("error", "dependency"),
    [
        (ServerError("500"), DependencyKind.CATALOG),
        (ServiceUnavailableError("503"), DependencyKind.CATALOG),
        (TooManyRequestsError("429"), DependencyKind.CATALOG),
        (requests.ConnectionError("refused"), DependencyKind.CATALOG),
        (requests.Timeout("60 s"), DependencyKind.CATALOG),
        (_of_driver("connection refused"), DependencyKind.CATALOG),
        (OSError(_UNREACHABLE), DependencyKind.STORAGE),
        (OSError(_SLOW_DOWN), DependencyKind.STORAGE),
        (ConnectionResetError(errno.ECONNRESET, "reset"), DependencyKind.STORAGE),
    ],
)
def test_a_catalog_or_storage_that_does_not_answer_is_away(error: Exception, dependency: DependencyKind) -> None:
    away = _of_iceberg(error)
    assert isinstance(away, Away)
    assert away.dependency is dependency


@pytest.mark.parametrize("error", [ForbiddenError("403"), UnauthorizedError("401"), OSError(_DENIED)])
def test_refused_credentials_are_the_condition_of_the_catalog(error: Exception) -> None:
    refused = _of_iceberg(error)
    assert isinstance(refused, StateConflict)
    assert "credentials that may do this" in refused.message


@pytest.mark.parametrize("error", [AuthorizationExpiredError("419"), OSError(_EXPIRED), OSError(_NO_REASON)])
def test_expired_credentials_are_told_from_refused_ones(error: Exception) -> None:
    assert isinstance(_of_iceberg(error), CredentialsExpired)


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "gone"),
        PermissionError(errno.EACCES, "no"),
        OSError(errno.ENOSPC, "full"),
        BadRequestError("400"),
        _of_driver("database is locked"),
    ],
)
def test_other_failures_that_may_pass_are_not_away(error: Exception) -> None:
    other = _of_iceberg(error)
    assert isinstance(other, Transient)
    assert not isinstance(other, Away | CredentialsExpired)


def test_a_redis_that_does_not_answer_is_away() -> None:
    with pytest.raises(Away) as raised, reaching_redis():
        raise RedisConnectionError("refused")
    assert raised.value.dependency is DependencyKind.REDIS


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (_UNREACHABLE, StorageFault),
        (_SLOW_DOWN, StorageFault),
        (_EXPIRED, StorageCredentialsExpired),
        (_NO_REASON, StorageCredentialsExpired),
        (_NO_BODY, StorageCredentialsExpired),
        (_BAD_RANGE, StorageFault),
        (_DENIED, AccessRefused),
        (_HEAD + "RESOURCE_NOT_FOUND (HTTP status 404)", InputFault),
        ("short read", InputFault),
    ],
)
def test_a_task_carries_the_kind_of_a_storage_fault_in_its_class(text: str, kind: type[KernelError]) -> None:
    make: Callable[[OSError], KernelError] = lambda error: fault_of(InputFault, "s3://b/x", error)  # noqa: E731
    assert type(make(OSError(text))) is kind
