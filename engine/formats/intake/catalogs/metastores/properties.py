"""Properties of catalogs with the addresses of a Hive Metastore and with how it is accessed.

Their names are those of PyIceberg's catalogs of type `hive`, and for TLS, which it lacks, those of Trino.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty
from engine.domain.values.uris import masked
from engine.formats.intake.catalogs.metastores.kerberos import KERBEROS_ENABLED
from engine.formats.intake.catalogs.metastores.tls import SSL_ENABLED, SSL_KEY, SSL_PASSWORD, SSL_TRUST
from engine.outgoing.tls import CERTIFICATE, PRIVATE_KEY, Tls

URI: Final = "uri"
UGI: Final = "ugi"
KERBEROS_SERVICE: Final = "hive.kerberos-service-name"

ACCESS_PROPERTIES: Final = (
    CatalogProperty(
        URI, "Addresses of the Metastore: thrift://host:9083, with commas between several.", is_required=True
    ),
    CatalogProperty(UGI, "User that calls are made for, and its groups: user:group,group; without Kerberos."),
    CatalogProperty(KERBEROS_ENABLED, "true: connections authenticate with the ticket or keytab of the deployment."),
    CatalogProperty(KERBEROS_SERVICE, "First part of the Metastore's principal, before its host; by default hive."),
    CatalogProperty(SSL_ENABLED, "true: connections use TLS."),
    CatalogProperty(
        SSL_TRUST, "Certificates in PEM of the trusted authorities, in place of the machine's: file:/etc/…/ca.pem."
    ),
    CatalogProperty(SSL_KEY, "Client certificate with its key in PEM: file:/etc/…/client.pem.", is_secret=True),
    CatalogProperty(SSL_PASSWORD, "Password of the key, if it is encrypted.", is_secret=True),
)
PLAIN_OF_ACCESS: Final = frozenset({URI, UGI, KERBEROS_ENABLED, KERBEROS_SERVICE, SSL_ENABLED, SSL_TRUST})
"""Those of them whose values are not secrets."""

_REFERENCES: Final = ("env:", "file:")
_ADDRESS: Final = re.compile(r"thrift://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}/?")
_LARGEST_PORT: Final = 65_535
_ADDRESS_HINT: Final = "write thrift://host:9083; several addresses of one Metastore are separated by commas"
_NAME: Final = r"[A-Za-z0-9._@/$-]{1,256}"
_USER: Final = re.compile(rf"{_NAME}(?::{_NAME}(?:,{_NAME})*)?")
_USER_HINT: Final = "write user, or user:group,group"
_NAME_OF_SERVICE: Final = r"[A-Za-z0-9._-]{1,64}"
_BOOLEANS: Final = ("true", "false")


@dataclass(frozen=True, slots=True)
class Access:
    """The access to a Metastore.

    `user`, `groups`: whom calls are made for, which is stated and not proved; `tls`: None for connections without;
    `service`: first part of the Metastore's principal, None for connections without Kerberos.
    """

    user: str | None = None
    groups: tuple[str, ...] = ()
    tls: Tls | None = None
    service: str | None = None


OPEN: Final = Access()
"""Nothing is stated or proved."""


def problems_of_access(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property; references to secrets are taken for right."""
    yield from _problems_of_user(properties)
    yield from _problems_of_tls(properties)
    uri = properties.get(URI)
    if not uri:
        yield FieldProblem("/properties/uri", "is missing", uri, _ADDRESS_HINT)
    elif not uri.startswith(_REFERENCES) and not _are_addresses(uri):
        yield FieldProblem("/properties/uri", "is not an address of a Metastore", masked(uri), _ADDRESS_HINT)


def addresses_of(properties: Mapping[str, str]) -> Sequence[tuple[str, int]]:
    """Return host and port of each address in properties that have no problem."""
    parts = [urlsplit(each.strip()) for each in properties[URI].split(",")]
    return [(each.hostname or "", each.port or 0) for each in parts]


def access_of(properties: Mapping[str, str]) -> Access:
    """Return how the Metastore of properties is accessed that have no problem."""
    user, _, groups = properties.get(UGI, "").partition(":")
    tls = None
    if _is_on(properties, SSL_ENABLED):
        tls = Tls(properties.get(SSL_TRUST) or None, properties.get(SSL_KEY) or None, properties.get(SSL_PASSWORD))
    service = (properties.get(KERBEROS_SERVICE) or "hive") if _is_on(properties, KERBEROS_ENABLED) else None
    return Access(user or None, tuple(filter(None, groups.split(","))), tls, service)


def _problems_of_user(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    ugi = properties.get(UGI)
    if ugi and not ugi.startswith(_REFERENCES) and not _USER.fullmatch(ugi):
        yield FieldProblem("/properties/ugi", "is not a user with groups", ugi, _USER_HINT)
    elif ugi and _is_on(properties, KERBEROS_ENABLED):
        hint = f"leave it out, or set {KERBEROS_ENABLED} to false"
        yield FieldProblem("/properties/ugi", "has no effect with Kerberos, which proves another user", ugi, hint)
    for name in (SSL_ENABLED, KERBEROS_ENABLED):
        value = properties.get(name)
        if value and value.lower() not in _BOOLEANS:
            yield FieldProblem(f"/properties/{name}", "is neither true nor false", value, "write true or false")
    service = properties.get(KERBEROS_SERVICE)
    if service and not _is_on(properties, KERBEROS_ENABLED):
        hint = f"set {KERBEROS_ENABLED} to true, or leave it out"
        yield FieldProblem(f"/properties/{KERBEROS_SERVICE}", "has no effect without Kerberos", service, hint)
    if service and not service.startswith(_REFERENCES) and not re.fullmatch(_NAME_OF_SERVICE, service):
        hint = "write the part of its principal before the slash, such as hive"
        yield FieldProblem(f"/properties/{KERBEROS_SERVICE}", "is not the name of a service", service, hint)


def _problems_of_tls(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    if not _is_on(properties, SSL_ENABLED):
        for name in (SSL_TRUST, SSL_KEY, SSL_PASSWORD):
            if properties.get(name):
                hint = f"set {SSL_ENABLED} to true, or leave it out"
                yield FieldProblem(f"/properties/{name}", "has no effect on connections without TLS", None, hint)
    for name, parts in {SSL_TRUST: (CERTIFICATE,), SSL_KEY: (CERTIFICATE, PRIVATE_KEY)}.items():
        value = properties.get(name) or _REFERENCES[0]
        if not value.startswith(_REFERENCES) and not all(part in value for part in parts):
            what = "certificates" if len(parts) == 1 else "a certificate and its private key"
            hint = "give a reference to a file with the text: file:/absolute/path.pem"
            yield FieldProblem(f"/properties/{name}", f"is not the text of {what} in PEM", None, hint)


def _is_on(properties: Mapping[str, str], name: str) -> bool:
    return properties.get(name, "").lower() == "true"


def _are_addresses(uri: str) -> bool:
    found = [each.strip() for each in uri.split(",")]
    return all(_ADDRESS.fullmatch(each) and 0 < _port(each) <= _LARGEST_PORT for each in found)


def _port(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])
