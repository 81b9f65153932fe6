"""Sessions with a Metastore: Thrift's client on a connection of its own, which ends with the block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores.answers import protocol_on
from engine.formats.intake.catalogs.metastores.clients import AnyRelease
from engine.formats.intake.catalogs.metastores.errors import WrongAccess
from engine.formats.intake.catalogs.metastores.properties import OPEN, Access, access_of, addresses_of
from engine.formats.intake.catalogs.metastores.sasl import authenticated
from engine.formats.intake.catalogs.metastores.sockets import AnswerSocket, open_socket
from engine.outgoing.bounds import CheckPeer, any_peer


@dataclass(frozen=True, slots=True)
class MetastoreServers:
    """The addresses of one Metastore, of which the first that answers is used, and how it is accessed.

    `unknown`: see `clients.AnyRelease`.
    """

    addresses: Sequence[tuple[str, int]]
    access: Access = OPEN
    check_peer: CheckPeer = any_peer
    unknown: set[str] = field(default_factory=set)

    def session(self) -> "MetastoreSession":
        """Return a context manager with a client on a new connection, for one thread.

        Entering it and each call raise `TException`, `OSError` and `Malformed`.
        """
        return MetastoreSession(self)

    def _open(self) -> AnswerSocket:
        """Return a connection to the first address that answers.

        Raises the error of the last one, but rather one of wrong settings, for which waiting does not help.
        """
        failed: TTransportException | None = None
        for host, port in self.addresses:
            try:
                return self._open_at(host, port)
            except TTransportException as error:
                failed = failed if isinstance(failed, WrongAccess) else error
        raise failed or TTransportException(TTransportException.NOT_OPEN, "no address")

    def _open_at(self, host: str, port: int) -> AnswerSocket:
        connection = open_socket(host, port, self.check_peer, self.access.tls)
        if self.access.service is None:
            return connection
        try:
            return authenticated(connection, self.access.service, host)
        except BaseException:
            connection.close()
            raise


class MetastoreSession:
    """Context manager with a client on a connection of its own, which is closed at its end.

    It is not a generator with `contextmanager`, which sets an attribute of a passing exception: those of the
    Metastore's client are immutable, and raise `TypeError` instead.
    """

    def __init__(self, servers: MetastoreServers) -> None:
        self._servers = servers

    def __enter__(self) -> AnyRelease:
        self._socket = self._servers._open()  # noqa: SLF001 - of this module
        try:
            client = AnyRelease(protocol_on(self._socket), self._servers.unknown)
            if user := self._servers.access.user:
                client.set_ugi(user, list(self._servers.access.groups))
        except BaseException:
            self._socket.close()
            raise
        return client

    def __exit__(self, *_raised: object) -> None:
        self._socket.close()


def servers_of(properties: Mapping[str, str], check_peer: CheckPeer = any_peer) -> MetastoreServers:
    """Return the servers of a catalog whose properties have no problem and whose secrets are resolved."""
    return MetastoreServers(addresses_of(properties), access_of(properties), check_peer)
