"""TLS to a Metastore, with the authorities and the certificate of a catalog; each refusal has a sentence of its own."""

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from tempfile import NamedTemporaryFile
from typing import Final

from thrift.transport.TTransport import TTransportException

from engine.formats.intake.catalogs.metastores.errors import WrongAccess

SSL: Final = "hive.metastore.thrift.client.ssl."
SSL_ENABLED: Final = f"{SSL}enabled"
SSL_TRUST: Final = f"{SSL}trust-certificate"
SSL_KEY: Final = f"{SSL}key"
SSL_PASSWORD: Final = f"{SSL}key-password"

_OTHER_NAME: Final = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
_OTHER_TIME: Final = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates in PEM: the trusted authorities, None for those of the machine; the client's own with its key."""

    trusted: str | None = None
    key: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)


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
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message.rstrip(".")
        if error.verify_code in _OTHER_NAME:
            return WrongAccess(f"the certificate of {address} is for another name ({reason})", _NAME_REMEDY)
        if error.verify_code in _OTHER_TIME:
            return WrongAccess(f"the certificate of {address} is not valid now ({reason})", _TIME_REMEDY)
        return WrongAccess(f"the certificate of {address} is not of a trusted authority ({reason})", _TRUST_REMEDY)
    reason = (error.reason or type(error).__name__).lower().replace("_", " ")
    if "alert" in reason:
        return WrongAccess(f"{address} refused the TLS connection ({reason})", _KEY_REMEDY)
    return WrongAccess(f"{address} does not answer with TLS ({reason})", _OFF_REMEDY)


_NAME_REMEDY: Final = "write the host in `uri` as it is in the certificate"
_TIME_REMEDY: Final = "renew the certificate of the Metastore, or correct the clock of this machine"
_TRUST_REMEDY: Final = f"give the certificate of its authority as `{SSL_TRUST}`"
_OFF_REMEDY: Final = f"set `{SSL_ENABLED}` to false, or correct `uri`"
_KEY_REMEDY: Final = f"give a client certificate that the Metastore trusts, with its key, as `{SSL_KEY}`"


@lru_cache(maxsize=64)
def _context(tls: Tls) -> ssl.SSLContext:
    """Return the settings of TLS. Raises WrongAccess: a certificate or key can't be read."""
    try:
        context = ssl.create_default_context(cadata=tls.trusted)
    except (ssl.SSLError, ValueError) as error:
        raise WrongAccess(f"`{SSL_TRUST}` has no certificates in PEM", "correct the file") from error
    if tls.key is not None:
        try:
            with _as_file(tls.key) as path:
                context.load_cert_chain(path, password=tls.password or "")  # without one OpenSSL asks a terminal
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            message = f"`{SSL_KEY}` has no certificate with its key ({reason.lower().replace('_', ' ')})"
            raise WrongAccess(message, f"give both in PEM, and `{SSL_PASSWORD}` if the key is encrypted") from error
    return context


@contextmanager
def _as_file(text: str) -> Iterator[str]:
    """Yield the path of a file in memory: `ssl` reads keys from files only, and this one must not get to a disk."""
    if not hasattr(os, "memfd_create"):  # a Mac
        with NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            yield file.name
            return
    descriptor = os.memfd_create("key")
    try:
        os.write(descriptor, text.encode())
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
