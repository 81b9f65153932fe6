"""Opens the store of a file by the kind of its address: Arrow, `obstore` or `hdfs-native`.

Connections are kept for as long as the process: tasks of the same bucket and properties share one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any, Final

from engine.outgoing.bounds import any_peer
from engine.outgoing.relay import Relay
from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.credentials import Credentials, RenewedStorage
from engine.rewriting.kernel.storage.stores import arrow_files, azure, google, hdfs, objects, s3
from engine.rewriting.kernel.storage.stores.clients import Connection
from engine.rewriting.kernel.storage.stores.files import Files, WholeFiles
from engine.rewriting.kernel.storage.stores.listings import http_listings
from engine.uris import schemes

_MOST_KEPT: Final = 256
_CONNECTIONS: Final[Mapping[str, Callable[[str, Mapping[str, str]], Connection]]] = {
    schemes.S3: s3.connection,
    schemes.GOOGLE: google.connection,
    schemes.AZURE: azure.connection,
}
_PREFIXES: Final = {schemes.S3: s3.PREFIXES, schemes.GOOGLE: google.PREFIXES, schemes.AZURE: azure.PREFIXES}


def files_of(kind: str, place: str, properties: Mapping[str, str], credentials: Credentials | None = None) -> Files:
    """Return the files of a store for a task, which repeats reads on its own.

    Args:
        kind: as in `addresses.Address`.
        place: as in `addresses.Address`.
        properties: those of the catalog, by the names of PyIceberg and of Iceberg's own clients.
        credentials: the source of renewed ones, instead of those in the properties; `RenewedStorage` has its own.

    Raises:
        Refused: `unsupported_storage`, for a place that the properties can't reach.
    """
    if kind == schemes.FILE:
        return arrow_files.local()
    found = whole_files_of(kind, place, properties, is_patient=False, credentials=credentials)
    if found is not None:
        return found
    if kind == schemes.S3:
        return arrow_files.s3(place, properties)
    package = "hdfs-native" if kind == schemes.HDFS else "obstore"
    raise Refused(
        UNSUPPORTED_STORAGE,
        f"{kind}://{place} needs the package {package}, which is not installed in this process: install it on Spark's "
        "executors and in the service (pip install 'packhouse-server[hdfs]' for hdfs-native)",
    )


def whole_files_of(
    kind: str, place: str, properties: Mapping[str, str], *, is_patient: bool, credentials: Credentials | None = None
) -> WholeFiles | None:
    """Return the files of a bucket, a container or an HDFS; None without its library, or where only Arrow can read it.

    Raises:
        Refused: as `files_of`.
    """
    if credentials is None and isinstance(properties, RenewedStorage):
        credentials = properties.credentials
    if kind == schemes.HDFS:
        return _hdfs(place, _given(properties, hdfs.PREFIXES)) if hdfs.is_here() else None
    is_arrows = kind == schemes.S3 and s3.needs_arrow(place, properties)
    if kind not in _CONNECTIONS or not objects.is_here() or is_arrows:
        return None
    return _opened(kind, place, _given(properties, _PREFIXES[kind]), is_patient, credentials)


def _given(properties: Mapping[str, str], prefixes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in properties.items() if name.startswith(prefixes)))


def _address(connection: Connection) -> tuple[Any, ...]:
    """Return the options that lead to the server of a store; None for those of the cloud itself."""
    return tuple(connection.config.get(name) for name in ("endpoint", "base_url", "account_name"))


@lru_cache(maxsize=_MOST_KEPT)
def _hdfs(place: str, given: tuple[tuple[str, str], ...]) -> hdfs.HdfsFiles:
    return hdfs.connect(place, dict(given))


@lru_cache(maxsize=_MOST_KEPT)
def _opened(
    kind: str, place: str, given: tuple[tuple[str, str], ...], is_patient: bool, credentials: Credentials | None
) -> objects.ObjectFiles:
    connection = _CONNECTIONS[kind](place, dict(given))
    bucket = place.partition("@")[0]
    provider: objects.Provider | None = None
    renewed: Callable[[], Connection] | None = None
    if connection.credential is not None:
        # by a provider: obstore completes those of its configuration with this machine's environment variables
        provider = _Given(connection.credential)
        if credentials is not None:
            provider = _Renewed(kind, place, credentials, connection)
            renewed = provider.connection
    check_peer = any_peer if _relay is None else _relay.check_peer
    listing = http_listings.listing_of(
        kind, bucket, connection, renewed=renewed, check_peer=check_peer, is_patient=is_patient
    )
    return objects.ObjectFiles.open_store(
        kind,
        bucket,
        connection if provider is None else connection.without_credential(),
        is_patient=is_patient,
        provider=provider,
        http_listing=listing,
        open_arrow=partial(arrow_files.s3, place, dict(given)) if kind == schemes.S3 and listing is None else None,
        relay=_relay,
    )


_relay: Relay | None = None


def use_relay(relay: Relay | None) -> None:
    """Limit the answers of stores whose address a catalog names, from now on: for the service, once at its start."""
    global _relay  # noqa: PLW0603 - as the connections that it is for, it is one of the process
    _relay = relay
    _opened.cache_clear()


@dataclass(frozen=True, slots=True)
class _Given:
    """Gives `obstore` the credential of the properties, which it keeps, and nothing of this machine's environment."""

    credential: Mapping[str, Any]

    def __call__(self) -> dict[str, Any]:
        """Return the credential, which has no end."""
        return {**self.credential, "expires_at": None}


class _Renewed:
    """Gives the credential of each request: it is asked every time, as another may be needed at any time.

    Renewed credentials are for the address that comes with them: a catalog that vends others for another one, or stops
    to vend them, does not get those sent to an address that it named before.
    """

    def __init__(self, kind: str, place: str, credentials: Credentials, opened: Connection) -> None:
        self._kind = kind
        self._place = place
        self._credentials = credentials
        self._address = _address(opened)
        self._seen: Mapping[str, str] | None = None
        self._made = opened

    def __call__(self) -> dict[str, Any]:
        """Return the credential with the time until which it may be kept: not at all. Raises as `connection`."""
        return {**(self.connection().credential or {}), "expires_at": datetime.now(UTC)}

    def connection(self) -> Connection:
        """Return how the store is reached with the present credentials.

        Raises:
            StoreError: the renewed properties have none, or name another address.
        """
        properties = self._credentials.current()
        if properties is not self._seen:
            made = _CONNECTIONS[self._kind](self._place, properties)
            if made.credential is None or _address(made) != self._address:
                raise StoreError(f"the renewed credentials of {self._place} are for another address of the store")
            self._made = made
            self._seen = properties
        return self._made
