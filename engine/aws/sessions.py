"""Sessions of AWS: the region and the credentials of one catalog, kept fresh, and clients of services.

Credentials are those of the catalog's properties (keys, a profile, a role to assume) or those that every AWS SDK finds
on this machine: environment, files, web identity, container, instance. botocore renews temporary ones ten minutes and
more before they end. Names of properties are PyIceberg's and Iceberg Java's: `client.…`, and those of one service, such
as `glue.…`, which come first.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from threading import Lock
from typing import Any, Final

from engine.domain.errors import Away, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.extras import require
from engine.outgoing.bounds import CallLimits, CheckPeer, any_peer
from engine.outgoing.calls import CallFailed, NotSent, send

ASSUMED_SESSION: Final = "packhouse"
"""Name of an assumed role's session in AWS's own audit log, unless the catalog gives another one."""

ANSWER_SECONDS: Final = 60.0
"""Longest time of one request to a service."""

_ANSWER_BYTES: Final = 64 * 2**20
"""Largest answer: Glue's has at most 100 tables, each of at most about 400 KB."""

TRIES: Final = 3
"""Most requests for one call, by default: botocore repeats those that were throttled or had no answer."""

_ROLE: Final = ("client.role-arn", "client.assume-role.arn")
_ROLE_SESSION: Final = ("client.role-session-name", "client.assume-role.session-name")
_EXTERNAL_ID: Final = ("client.assume-role.external-id",)
_ROLE_REGION: Final = ("client.assume-role.region", "client.region")
_ADDRESS: Final = "if that server runs, check the properties of the region and the endpoint"
_KEYS_OF_S3: Final = ("s3.access-key-id", "s3.role-arn", "s3.profile-name", "s3.anonymous")


class AwsSession:
    """The credentials and the region of one catalog. Thread-safe; nothing is asked before the first use.

    Args:
        properties: those of the catalog, secrets resolved.
        service: what the names of its own properties begin with, such as `glue`.

    Every method raises:
        StateConflict: there are no credentials or no region, or the profile does not exist.
        Away: the source of the credentials does not answer.
    """

    def __init__(self, properties: Mapping[str, str], *, service: str) -> None:
        require("boto3", purpose=f"a catalog of {service}", install="'packhouse-server[aws]'")
        self._properties = dict(properties)
        self._service = service
        self._lock = Lock()
        self._session: Any = None

    @property
    def has_own_identity(self) -> bool:
        """Whether the catalog names a profile or a role, which clients of stores in tasks can't use by its name."""
        return bool(self._given("profile-name") or self._first(_ROLE))

    def region(self) -> str:
        """Return the region of the service."""
        with named_errors():
            found = self._given("region") or self._opened().region_name
        if not found:
            message = "no region of AWS is known: give the catalog's properties client.region, or set AWS_REGION"
            raise StateConflict(message)
        return str(found)

    def credentials(self) -> Any:
        """Return an access key, its secret and its token (botocore's `ReadOnlyCredentials`), valid for minutes."""
        with named_errors():
            found = self._opened().get_credentials()
            if found is None:
                raise StateConflict(
                    "no credentials of AWS were found: give the catalog's properties client.access-key-id and "
                    "client.secret-access-key, client.profile-name or client.role-arn, or give this process a role"
                )
            return found.get_frozen_credentials()

    def storage(self, own: Mapping[str, str]) -> dict[str, str]:
        """Return properties of file access with the credentials of the catalog's profile or role, if it names one.

        Credentials that the properties give for S3 itself stay. Tasks renew these as they renew vended ones.
        """
        if not self.has_own_identity or any(name in own for name in _KEYS_OF_S3):
            return dict(own)
        found = self.credentials()
        ends = getattr(self._opened().get_credentials(), "_expiry_time", None)  # botocore has no other name for it
        named = {
            "s3.access-key-id": found.access_key,
            "s3.secret-access-key": found.secret_key,
            "s3.session-token": found.token,
            "s3.session-token-expires-at-ms": str(int(ends.timestamp() * 1000)) if ends and found.token else None,
        }
        others = {name: value for name, value in own.items() if not name.startswith("client.")}
        return {**others, "s3.region": own.get("s3.region") or self.region(), **{k: v for k, v in named.items() if v}}

    def client(self, *, endpoint: str | None, check_peer: CheckPeer = any_peer, tries: int = TRIES) -> Any:
        """Return botocore's client of the service, whose requests have limits of time and size.

        `check_peer` raises for an address of the service that must not be connected to. `tries`: most requests for one
        call.
        """
        from botocore.config import Config  # noqa: PLC0415 - of the extra `aws`

        config = Config(retries={"total_max_attempts": tries, "mode": "standard"})
        with named_errors():
            self.credentials()
            made = self._opened().client(
                self._service, region_name=self.region(), endpoint_url=endpoint, config=config, verify=True
            )
        made.meta.events.register("before-send", lambda request, **_: _answer(request, check_peer))
        return made

    def _opened(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = self._assumed() if self._first(_ROLE) else self._source()
            return self._session

    def _source(self) -> Any:
        """Return a session with the credentials of the properties or of this machine."""
        import boto3  # noqa: PLC0415 - of the extra `aws`

        return boto3.session.Session(
            profile_name=self._given("profile-name"),
            region_name=self._given("region"),
            aws_access_key_id=self._given("access-key-id"),
            aws_secret_access_key=self._given("secret-access-key"),
            aws_session_token=self._given("session-token"),
        )

    def _assumed(self) -> Any:
        """Return a session with the credentials of a role, which AWS gives to those of `_source`."""
        import boto3  # noqa: PLC0415 - of the extra `aws`
        from botocore.config import Config  # noqa: PLC0415
        from botocore.credentials import (  # noqa: PLC0415
            AssumeRoleCredentialFetcher,
            CredentialProvider,
            DeferredRefreshableCredentials,
        )
        from botocore.session import Session  # noqa: PLC0415

        source = self._source()
        if source.get_credentials() is None:
            raise StateConflict("no credentials of AWS were found that may assume the role of the catalog's properties")
        asked = {"RoleSessionName": self._first(_ROLE_SESSION) or ASSUMED_SESSION}
        if external := self._first(_EXTERNAL_ID):
            asked["ExternalId"] = external
        region = self._first(_ROLE_REGION) or source.region_name

        bounds = Config(connect_timeout=10, read_timeout=15, retries={"total_max_attempts": TRIES})

        def client_of(name: str, **options: Any) -> Any:
            return source.client(name, **{"region_name": region, "config": bounds, **options})

        fetcher = AssumeRoleCredentialFetcher(
            client_of, source.get_credentials(), self._first(_ROLE), extra_args=asked, cache={}
        )
        role = DeferredRefreshableCredentials(fetcher.fetch_credentials, "packhouse-role")

        class AssumedRole(CredentialProvider):  # type: ignore[misc] # the library has no types
            METHOD = CANONICAL_NAME = "packhouse-role"

            def load(self) -> Any:
                return role

        core = Session()
        core.get_component("credential_provider").insert_before("env", AssumedRole())
        return boto3.session.Session(botocore_session=core, region_name=source.region_name)

    def _given(self, name: str) -> str | None:
        return self._first((f"{self._service}.{name}", f"client.{name}"))

    def _first(self, names: Sequence[str]) -> str | None:
        return next((self._properties[each] for each in names if self._properties.get(each)), None)


@contextmanager
def named_errors() -> Iterator[None]:
    """Turn errors of botocore about sessions, connections and credentials into errors of the domain."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.split(".")[0] != "botocore":
            raise
        cause = error.__cause__ if isinstance(error.__cause__, CallFailed) else error  # botocore's text hides it
        text = (str(cause).splitlines() or [""])[0][:300]
        if type(error).__name__ in _AWAY or is_throttled(error):
            told = text if isinstance(cause, CallFailed) else f"AWS does not answer: {text}"
            hint = f"; {_ADDRESS}" if isinstance(cause, NotSent) else ""
            raise Away(DependencyKind.CATALOG, f"{told}{hint}") from error
        raise StateConflict(f"the credentials of AWS can't be used: {text}; {_remedy(error)}") from error


_AWAY: Final = frozenset(
    {
        *("ConnectionError", "EndpointConnectionError", "ConnectTimeoutError", "ReadTimeoutError"),
        *("ConnectionClosedError", "HTTPClientError", "SSLError", "ProxyConnectionError", "MetadataRetrievalError"),
    }
)
"""botocore's classes for a service, or a source of credentials, that does not answer."""

_THROTTLED: Final = ("Throttl", "TooManyRequests", "RequestLimitExceeded", "ServiceUnavailable", "InternalService")
SKEWED: Final = ("Signature expired", "Signature not yet current", "RequestTimeTooSkewed", "RequestExpired")
"""Texts of AWS for a request whose time is not that of the service."""

_CLOCK: Final = "set the clock of this machine: AWS refuses requests whose time differs by more than 5 minutes"


def is_throttled(error: Any) -> bool:
    """Return whether a service answered that it can't answer now."""
    return code_of(error).startswith(_THROTTLED)


def code_of(error: Any) -> str:
    """Return the code of an answer of AWS, such as `AccessDeniedException`; empty for other errors."""
    return str(getattr(error, "response", {}).get("Error", {}).get("Code", ""))


def remedy_of(text: str) -> str | None:
    """Return the remedy for an answer of AWS to a request that was signed at the wrong time; None for others."""
    return _CLOCK if any(each in text for each in SKEWED) else None


def _remedy(error: BaseException) -> str:
    kind = type(error).__name__
    if kind == "ProfileNotFound":
        return "give client.profile-name a profile of this machine's ~/.aws/config, or of AWS_CONFIG_FILE"
    if "AssumeRole" in str(error):
        return "let the role of client.role-arn trust the credentials of this process"
    return remedy_of(str(error)) or "check the catalog's properties client.… and AWS's settings of this machine"


class _Raw(BytesIO):
    """A body as botocore reads it."""

    def stream(self, **_options: Any) -> Any:
        yield from iter(lambda: self.read(65536), b"")


def _answer(request: Any, check_peer: CheckPeer) -> Any:
    """Send a prepared request within limits and to a checked address, instead of botocore's own transport.

    botocore's event `before-send` is for this: its connections have no limit of the size or of the whole time.
    """
    from botocore.awsrequest import AWSResponse  # noqa: PLC0415 - of the extra `aws`
    from botocore.exceptions import EndpointConnectionError, HTTPClientError  # noqa: PLC0415

    limits = CallLimits(ANSWER_SECONDS, _ANSWER_BYTES, min(ANSWER_SECONDS, 10.0))
    headers = {name: _text(value) for name, value in request.headers.items()}
    body = request.body if isinstance(request.body, bytes | None) else str(request.body).encode()
    try:
        found = send(
            request.method, request.url, limits=limits, headers=headers, body=body, check_peer=check_peer, by_proxy=True
        )
    except NotSent as error:
        raise EndpointConnectionError(endpoint_url=request.url, error=error) from error
    except CallFailed as error:
        raise HTTPClientError(request=request, error=error) from error
    return AWSResponse(request.url, found.status, found.headers, _Raw(found.body))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
