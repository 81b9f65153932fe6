"""TLS to a Metastore, with the authorities and the certificate of a catalog; each refusal has a sentence of its own."""

import socket
import ssl
from collections.abc import Mapping
from typing import Final

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores.errors import WrongAccess
from engine.outgoing.tls import Tls, TlsFault, UnusableAuthorities, UnusableKey, context_of, fault_of

SSL: Final = "hive.metastore.thrift.client.ssl."
SSL_ENABLED: Final = f"{SSL}enabled"
SSL_TRUST: Final = f"{SSL}trust-certificate"
SSL_KEY: Final = f"{SSL}key"
SSL_PASSWORD: Final = f"{SSL}key-password"

_REMEDIES: Final[Mapping[TlsFault, str]] = {
    TlsFault.OTHER_NAME: "write the host in `uri` as it is in the certificate",
    TlsFault.OTHER_TIME: "renew the certificate of the Metastore, or correct the clock of this machine",
    TlsFault.UNTRUSTED: f"give the certificate of its authority as `{SSL_TRUST}`",
    TlsFault.NO_TLS: f"set `{SSL_ENABLED}` to false, or correct `uri`",
    TlsFault.CLIENT_REFUSED: f"give a client certificate that the Metastore trusts, with its key, as `{SSL_KEY}`",
}


def secured(connection: socket.socket, host: str, address: str, tls: Tls) -> ssl.SSLSocket:
    """Return a connection to a server whose certificate was verified, after the handshake.

    Raises:
        OSError: it ended in the handshake, or took too long.
        WrongAccess: the server or its certificate is refused, or it refuses the client.
    """
    context = _context(tls)
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except ssl.SSLEOFError:
        raise
    except ssl.SSLError as error:
        raise refusal_of(error, address) from error


def refusal_of(error: ssl.SSLError, address: str) -> TTransportException:
    """Return why TLS with a server failed, with the property to change."""
    fault, reason = fault_of(error, address)
    return WrongAccess(reason, _REMEDIES[fault])


def _context(tls: Tls) -> ssl.SSLContext:
    """Return the settings of TLS. Raises WrongAccess: a certificate or key can't be read."""
    try:
        return context_of(tls)
    except UnusableAuthorities as error:
        raise WrongAccess(f"`{SSL_TRUST}` has no certificates in PEM", "correct the file") from error
    except UnusableKey as error:
        message = f"`{SSL_KEY}` has no certificate with its key ({error})"
        raise WrongAccess(message, f"give both in PEM, and `{SSL_PASSWORD}` if the key is encrypted") from error
