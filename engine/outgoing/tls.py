"""TLS with authorities and a client certificate that are given as texts, and the meaning of a handshake that fails."""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from tempfile import NamedTemporaryFile
from typing import Final

CERTIFICATE: Final = "-----BEGIN CERTIFICATE-----"
PRIVATE_KEY: Final = "PRIVATE KEY-----"
"""Marks of PEM: each certificate begins with the first, and what begins a key ends with the second."""

_BUNDLES: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables with the certificate authorities of the deployment, as `requests` reads them for the same servers."""

_OTHER_NAME: Final = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
_OTHER_TIME: Final = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED


@dataclass(frozen=True, slots=True)
class Tls:
    """Certificates in PEM: the trusted authorities, None for those of the machine; the client's own with its key."""

    trusted: str | None = None
    key: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)


class UnusableAuthorities(ValueError):
    """The text of the trusted authorities has no certificates."""


class UnusableKey(ValueError):
    """The text of the client has no certificate with its key; the message is the reason."""


class TlsFault(Enum):
    """Reason for which a handshake of TLS fails."""

    OTHER_NAME = auto()
    OTHER_TIME = auto()
    UNTRUSTED = auto()
    CLIENT_REFUSED = auto()
    NO_TLS = auto()


def fault_of(error: ssl.SSLError, address: str) -> tuple[TlsFault, str]:
    """Return why TLS with the server at an address failed, as a kind and in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message.rstrip(".")
        if error.verify_code in _OTHER_NAME:
            return TlsFault.OTHER_NAME, f"the certificate of {address} is for another name ({reason})"
        if error.verify_code in _OTHER_TIME:
            return TlsFault.OTHER_TIME, f"the certificate of {address} is not valid now ({reason})"
        return TlsFault.UNTRUSTED, f"the certificate of {address} is not of a trusted authority ({reason})"
    reason = (error.reason or type(error).__name__).lower().replace("_", " ")
    if "alert" in reason:
        return TlsFault.CLIENT_REFUSED, f"{address} refused the TLS connection ({reason})"
    return TlsFault.NO_TLS, f"{address} does not answer with TLS ({reason})"


@lru_cache(maxsize=64)
def context_of(tls: Tls, *, with_bundles: bool = False) -> ssl.SSLContext:
    """Return the settings of TLS; servers must prove the name by which they are called.

    `with_bundles`: where no authorities are given, those that variables name are trusted in addition to the machine's.

    Raises:
        UnusableAuthorities, UnusableKey: a text can't be used.
        OSError: as `trust_bundles`.
    """
    try:
        context = ssl.create_default_context(cadata=tls.trusted)
    except (ssl.SSLError, ValueError) as error:
        raise UnusableAuthorities from error
    if with_bundles and tls.trusted is None:
        trust_bundles(context)
    if tls.key is not None:
        try:
            with _as_file(tls.key) as path:
                context.load_cert_chain(path, password=tls.password or "")  # without one OpenSSL asks a terminal
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or type(error).__name__
            raise UnusableKey(reason.lower().replace("_", " ")) from error
    return context


def trust_bundles(context: ssl.SSLContext) -> None:
    """Trust the authorities that variables of the deployment name. Raises OSError: they can't be read."""
    for name, path in ((name, os.environ[name]) for name in _BUNDLES if os.environ.get(name)):
        try:
            context.load_verify_locations(**{"capath" if os.path.isdir(path) else "cafile": path})  # noqa: PTH112
        except OSError as error:
            reason = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
            raise OSError(f"{name}: certificates can't be read from {path}: {reason}") from error


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
