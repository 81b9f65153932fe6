"""TLS of REST catalogs: their own authorities, and a client certificate, for the catalog and for its token server.

The properties have the names of PyIceberg's, which reads them as paths of files; here their values are references to
texts, which each process resolves. Clients of stores and tasks never get them.
"""

import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Final

import requests
from requests.adapters import HTTPAdapter

from engine.domain.errors import FieldProblem, StateConflict
from engine.domain.tables.capabilities import CatalogProperty
from engine.outgoing.calls import origin
from engine.outgoing.tls import (
    CERTIFICATE,
    PRIVATE_KEY,
    Tls,
    TlsFault,
    UnusableAuthorities,
    UnusableKey,
    context_of,
    fault_of,
)

TRUSTED: Final = "ssl.cabundle"
CLIENT: Final = "ssl.client.cert"
CLIENT_KEY: Final = "ssl.client.key"

TLS_PROPERTIES: Final = (
    CatalogProperty(
        TRUSTED, "Certificates in PEM of the trusted authorities, in place of the machine's: file:/etc/…/ca.pem."
    ),
    CatalogProperty(CLIENT, "Client certificate in PEM: file:/etc/…/client.pem.", is_secret=True),
    CatalogProperty(CLIENT_KEY, "Private key of the client certificate, where that text lacks it.", is_secret=True),
)

_PASSING: Final = ("internal error", "record mac", "decrypt", "user canceled", "close notify", "no renegotiation")
"""Words of failures that a server in trouble causes, and no setting."""

_CUTS: Final = (ssl.SSLEOFError, ConnectionResetError, BrokenPipeError)
_NAMES: Final = tuple(each.name for each in TLS_PROPERTIES)
_REFERENCES: Final = ("env:", "file:")
_PEM_HINT: Final = "give a reference to a file with the text: file:/absolute/path.pem"
_REMEDIES: Final[Mapping[TlsFault, str]] = {
    TlsFault.OTHER_NAME: "write the host in `uri` or `oauth2-server-uri` as it is in the certificate",
    TlsFault.OTHER_TIME: "renew the certificate of the server, or correct the clock of this machine",
    TlsFault.UNTRUSTED: f"give the certificate of its authority as `{TRUSTED}`",
    TlsFault.NO_TLS: "begin `uri` or `oauth2-server-uri` with http://, or correct its port",
    TlsFault.CLIENT_REFUSED: f"give a client certificate that the server trusts as `{CLIENT}`, and its key",
}


def problems_of_tls(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property; references to secrets are taken for right."""
    given = [name for name in _NAMES if properties.get(name)]
    uri = properties.get("uri", "")
    for name in given:
        pointer = f"/properties/{name}"
        if properties.get("type") != "rest":
            yield FieldProblem(pointer, "is a property of catalogs of type rest only", None, "leave it out")
        elif uri.startswith("http://"):
            hint = "begin `uri` with https://, or leave it out"
            yield FieldProblem(pointer, "has no effect on an address that begins with http://", None, hint)
    if CLIENT_KEY in given and CLIENT not in given:
        yield FieldProblem(f"/properties/{CLIENT}", "is missing", None, f"give the certificate of {CLIENT_KEY}")
    for name in given:
        mark, what = (PRIVATE_KEY, "a private key") if name == CLIENT_KEY else (CERTIFICATE, "certificates")
        if not properties[name].startswith(_REFERENCES) and mark not in properties[name]:
            yield FieldProblem(f"/properties/{name}", f"is not the text of {what} in PEM", None, _PEM_HINT)


def context_for(properties: Mapping[str, str]) -> ssl.SSLContext | None:
    """Return the settings of TLS of properties whose secrets are resolved; None if they have none of their own.

    Raises:
        StateConflict: a certificate or key can't be used.
    """
    trusted, certificate, key = (properties.get(name) or None for name in _NAMES)
    if trusted is None and certificate is None:
        return None
    both = None if certificate is None else "\n".join(filter(None, (certificate, key)))
    try:
        return context_of(Tls(trusted, both), with_bundles=True)
    except UnusableAuthorities as error:
        raise StateConflict(f"`{TRUSTED}` has no certificates in PEM; correct the file") from error
    except UnusableKey as error:
        raise StateConflict(
            f"`{CLIENT}` has no certificate with its private key ({error}); give the key of this certificate as "
            f"`{CLIENT_KEY}`, in PEM and without a password"
        ) from error
    except OSError as error:
        raise StateConflict(f"{error}; correct the variable of this process") from error


def use_context(adapter: HTTPAdapter, context: ssl.SSLContext) -> None:
    """Let the connections of an adapter, also those through a proxy, have these settings of TLS and no others.

    `requests` would load the files of variables and of the request into the settings of a connection.
    """
    asked: Any = adapter.build_connection_pool_key_attributes

    def with_context(
        request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        host, _settings = asked(request, verify, cert)
        return host, {"ssl_context": context}

    replaced: Any = adapter
    replaced.build_connection_pool_key_attributes = with_context
    replaced.cert_verify = lambda *_arguments: None


def refusal_of(error: BaseException, url: str) -> StateConflict | None:
    """Return why TLS with the server at a URL failed, with the property to change; None if no setting is the cause."""
    found = next((each for each in _within(error) if isinstance(each, ssl.SSLError)), None)
    if found is None or isinstance(found, ssl.SSLEOFError):
        return None
    fault, reason = fault_of(found, origin(url))
    if any(each in reason for each in _PASSING):
        return None
    return StateConflict(f"{reason}; {_REMEDIES[fault]}")


def hint_of(error: BaseException, url: str) -> str:
    """Return what else may be the cause if a server with TLS ends a connection; empty for another error.

    In TLS 1.3, the refusal of a client is lost if its request was sent before it arrived.
    """
    cut = any(type(each) in _CUTS for each in _within(error))
    return f"; if it wants a certificate of its clients, give `{CLIENT}`" if cut and url.startswith("https:") else ""


def _within(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those inside of it: urllib3 has the first one as an argument, or as a reason."""
    found: object = error
    while isinstance(found, BaseException):
        yield found
        first = found.args[0] if found.args else None
        inner = getattr(found, "reason", None)
        candidates = (inner, first, found.__cause__)
        found = next((each for each in candidates if isinstance(each, BaseException)), None)
