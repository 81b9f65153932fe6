"""Connections to a Spark Connect server: channel options, retries, and a few direct calls with deadlines.

`pyspark` itself waits without a deadline and, by default, retries for ten minutes. Requests that need a quick answer
(ping the server, stop an operation, check that it has ended) therefore use the protocol's gRPC stub, under any session
id, which also works for the session of a dead worker. Nothing here creates a `SparkSession`.
"""

import ipaddress
import re
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import grpc  # type: ignore[import-untyped]
import pyspark.sql.connect.proto as pb2
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.client.retries import DefaultPolicy, RetryPolicyState
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

from engine.domain.errors import Rejected, Transient
from engine.spark.errors import is_gone, is_late, translate

_RECONNECT_SECONDS: Final = 1.2  # longer than the longest pause between two connection attempts
_NAME_LENGTH: Final = 200
_FIRST_MAJOR: Final = 4
_CALL_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.5
_DURATION: Final = re.compile(r"^(\d+)\s*(us|ms|s|m|min|h|d)?$")
_UNIT_SECONDS: Final = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CHANNEL_OPTIONS: Final = [
    # gRPC's default back-off between connection attempts grows to two minutes: a restart would go unnoticed that long.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # Pings detect a peer that vanished without closing; servers refuse pings more often than every five minutes.
    ("grpc.keepalive_time_ms", 310_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
]


def machine_of(url: str | None) -> str:
    """Return the host name in a Spark server's URL, without port, user or token; for None that of this machine."""
    host = urlsplit(url or "").hostname or ""
    is_here = host in {"", "localhost"} or (host.replace(".", "").isdigit() and host.startswith("127."))
    return socket.gethostname() if is_here else host[:_NAME_LENGTH]


class _ShortState(RetryPolicyState):
    """Retry state that raises the original error when tries are used up; pyspark's own emits a Python warning first."""

    def can_retry(self, exception: BaseException) -> bool:
        """Return whether tries are left and the error may be temporary."""
        return self._attempt < (self.policy.max_retries or 0) and super().can_retry(exception)


class ShortRetries(DefaultPolicy):
    """Retry policy of pyspark's calls, about five seconds: survives a short failure, reports a dead server soon."""

    def __init__(self) -> None:
        super().__init__(max_retries=6, initial_backoff=100, backoff_multiplier=2.0, max_backoff=1_600, jitter=100)

    def to_state(self) -> RetryPolicyState:
        """Return the state of one series of tries."""
        return _ShortState(self)


class _ChannelBuilder(DefaultChannelBuilder):
    """Channel builder that sends a token without TLS to any loopback address; pyspark's does so to `localhost` only.

    The name `localhost` may resolve to `::1`, where another user of the machine may listen and would receive the token.
    For an address, pyspark requires TLS, which a server on this machine does not have: it waits for minutes.
    """

    def toChannel(self) -> grpc.Channel:  # noqa: N802 - pyspark's name
        """Return a channel; to a loopback address it uses the token without TLS."""
        if self.token is None or self.use_ssl or not _is_loopback(self.host):
            return super().toChannel()
        token = grpc.access_token_call_credentials(self.token)
        return self._secure_channel(
            self.endpoint, grpc.composite_channel_credentials(grpc.local_channel_credentials(), token)
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def channel_builder(url: str, *, user_id: str, session_id: str) -> DefaultChannelBuilder:
    """Return a builder for `sc://host:port[/;token=…]` under the given user and session id."""
    builder = _ChannelBuilder(url, channelOptions=_CHANNEL_OPTIONS)
    builder.set(DefaultChannelBuilder.PARAM_USER_ID, user_id)
    builder.set(DefaultChannelBuilder.PARAM_SESSION_ID, session_id)
    return builder


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's answer: its Spark version, and the server-side session id, which changes with a restart."""

    version: str
    server_session_id: str


def require_supported(answer: ServerAnswer) -> ServerAnswer:
    """Return the answer of a server that can run tasks: before Spark 4 its pyspark lacks classes of their pickles.

    Raises:
        Rejected: the version begins with a number below 4.
    """
    major = re.match(r"\d+", answer.version)
    if major is not None and int(major[0]) < _FIRST_MAJOR:
        raise Rejected(
            f"the server is Spark {answer.version}, whose Python can't load the tasks: use Spark 4.0 or newer"
        )
    return answer


class DirectCalls:
    """Calls with a deadline of five seconds, over a separate channel. Thread-safe.

    Every method raises `Transient` when the server does not answer; other errors are translated by `translate`.
    """

    def __init__(self, *, url: str, user_id: str, endpoint: str | None = None) -> None:
        self._endpoint = endpoint
        builder = channel_builder(url, user_id=user_id, session_id="")
        self._metadata = builder.metadata()
        self._channel = builder.toChannel()
        self._stub: Any = SparkConnectServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._user = pb2.UserContext(user_id=user_id)

    def ask(self, session_id: str) -> ServerAnswer:
        """Return the server's version and its id of a session; the server creates the session if it is unknown."""
        request = pb2.AnalyzePlanRequest(
            session_id=session_id,
            user_context=self._user,
            spark_version=pb2.AnalyzePlanRequest.SparkVersion(),
        )
        answer = self._call(self._stub.AnalyzePlan, request)
        return ServerAnswer(answer.spark_version.version, answer.server_side_session_id)

    def setting(self, session_id: str, name: str, default: str) -> str:
        """Return a configuration value of the server as this session sees it."""
        pair = pb2.KeyValue(key=name, value=default)
        operation = pb2.ConfigRequest.Operation(get_with_default=pb2.ConfigRequest.GetWithDefault(pairs=[pair]))
        request = pb2.ConfigRequest(session_id=session_id, user_context=self._user, operation=operation)
        return str(self._call(self._stub.Config, request).pairs[0].value)

    def settings(self, session_id: str, prefix: str) -> Sequence[tuple[str, str]]:
        """Return the server's configuration values that begin with a prefix, as this session sees them.

        They may contain secrets.
        """
        operation = pb2.ConfigRequest.Operation(get_all=pb2.ConfigRequest.GetAll(prefix=prefix))
        request = pb2.ConfigRequest(session_id=session_id, user_context=self._user, operation=operation)
        return [(str(pair.key), str(pair.value)) for pair in self._call(self._stub.Config, request).pairs]

    def duration(self, session_id: str, name: str, default: str) -> float:
        """Return a duration setting of the server in seconds; a number without a unit is in milliseconds."""
        value = self.setting(session_id, name, default)
        match = _DURATION.match(value.strip().lower())
        if match is None:
            raise Transient(f"Spark's {name} is {value!r}, which is not a duration such as '2s' or '100ms'")
        return int(match[1]) * _UNIT_SECONDS[match[2] or "ms"]

    def interrupt(self, session_id: str, tag: str) -> set[str]:
        """Interrupt all operations with the tag; return the ids of those that were not interrupted before.

        An empty set does not mean that nothing runs: the server returns an operation only the first time.
        """
        request = pb2.InterruptRequest(
            session_id=session_id,
            user_context=self._user,
            interrupt_type=pb2.InterruptRequest.InterruptType.INTERRUPT_TYPE_TAG,
            operation_tag=tag,
        )
        try:
            return set(self._stub.Interrupt(request, metadata=self._metadata, timeout=_CALL_SECONDS).interrupted_ids)
        except grpc.RpcError as error:
            if is_gone(error):  # a closed session took its operations with it
                return set()
            raise translate(error, self._endpoint) from error

    def is_running(self, session_id: str, operation_id: str) -> bool:
        """Return whether the server still executes the operation. Its Python task may outlive it by some seconds.

        Checked by attaching to the operation, the only request about a single operation in the protocol.
        """
        request = pb2.ReattachExecuteRequest(session_id=session_id, user_context=self._user, operation_id=operation_id)
        try:
            answers = self._stub.ReattachExecute(request, metadata=self._metadata, timeout=_LOOK_SECONDS)
            return not any(answer.HasField("result_complete") for answer in answers)
        except grpc.RpcError as error:
            if is_late(error) or "INVALID_CURSOR" in str(error.details()):  # attached, or its own client is attached
                return True
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                raise translate(error, self._endpoint) from error
            return False  # forgotten, interrupted, or failed: ended in every case

    def release(self, session_id: str) -> None:
        """Close a session on the server, which ends all its operations."""
        self._call(self._stub.ReleaseSession, pb2.ReleaseSessionRequest(session_id=session_id, user_context=self._user))

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return self._send(method, request)
        except (grpc.RpcError, ValueError) as error:  # ValueError: the channel was closed during the call
            raise translate(error, self._endpoint) from error

    def _send(self, method: Any, request: Any) -> Any:
        """Send the request, with one retry: a channel that has just failed refuses calls until its back-off ends."""
        try:
            return method(request, metadata=self._metadata, timeout=_CALL_SECONDS)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
        time.sleep(_RECONNECT_SECONDS)
        return method(request, metadata=self._metadata, timeout=_CALL_SECONDS)
