"""Renewed storage credentials of tables that a REST catalog vends them for, while files are read, listed and deleted.

A server that has an endpoint for credentials is asked there; from any other the table is loaded again, as Unity Catalog
and older servers need it. Credentials without a time of their end are taken to last an hour, and renewed after half.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import ValidationError
from pyiceberg.catalog.rest import Capability, Endpoints, LoadCredentialsResponse
from pyiceberg.exceptions import BadRequestError, NoSuchNamespaceError, NoSuchTableError, RESTError

from engine.domain.errors import PackhouseError, StateConflict
from engine.formats.iceberg.catalog.file_access import KeptStorage
from engine.formats.iceberg.catalog.rest.pages import PagedLists, refreshing
from engine.formats.iceberg.errors import summary_of
from engine.formats.iceberg.intake.read_tables import ReadTable
from engine.formats.intake.catalogs.vended import without_credentials
from engine.rewriting.kernel.storage.credentials import is_temporary

NOT_SERVED: Final = (RESTError, BadRequestError)
"""Classes of errors for the statuses 400, 404, 405, 406 and 422, which are the same at the next try."""

_ADDRESSES: Final = tuple(f"{store}.refresh-credentials-endpoint" for store in ("client", "gcs.oauth2", "adls"))
_SWITCHES: Final = tuple(f"{store}.refresh-credentials-enabled" for store in ("client", "gcs.oauth2", "adls"))
_FAULTS: Final = (PackhouseError, RESTError, NoSuchTableError, NoSuchNamespaceError, ValidationError)


@dataclass(frozen=True, slots=True)
class VendedTable:
    """A table that was loaded, and what its answer vends.

    `place`: the location by which its credentials are chosen; `config`: of the answer, with those of its location.
    """

    identifier: tuple[str, ...]
    uuid: str
    place: str
    config: Mapping[str, Any]


class RenewingCatalog(PagedLists):
    """A REST catalog whose tables get new credentials for their storage while they are used."""

    _kept_storage: KeptStorage

    @abstractmethod
    def load_table(self, identifier: Any) -> ReadTable:
        """Load a table."""

    @abstractmethod
    def _own_storage(self) -> dict[str, str]:
        """Return the catalog's own properties of file access."""

    @abstractmethod
    def _storage(self, answer: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, str]:
        """Return the properties of file access with what an answer vends."""

    def _renewed(self, table: VendedTable, properties: Mapping[str, str]) -> Mapping[str, str]:
        """Return properties of file access whose credentials are renewed if they end."""
        said = VendedTable(table.identifier, table.uuid, table.place, without_credentials(table.config))
        return self._kept_storage.of((table.identifier, table.uuid), properties, lambda: self._newer(said))

    def _newer(self, table: VendedTable) -> Mapping[str, str]:
        """Return properties of file access with credentials that the catalog vends now. Raises OSError."""
        try:
            return self._by_endpoint(table) or self._by_load(table)
        except _FAULTS as error:
            raise OSError(f"the catalog vends no new credentials: {summary_of(error)}") from error

    @refreshing
    def _by_endpoint(self, table: VendedTable) -> Mapping[str, str] | None:
        """Return the properties by the endpoint for credentials; None without one, or if it has none for the table."""
        url = self._address_of_credentials(table)
        if url is None:
            return None
        try:
            response = self._get(url, {}, missing=NoSuchTableError)
        except NOT_SERVED as error:
            if type(error) not in NOT_SERVED:
                raise
            return None
        answer = LoadCredentialsResponse.model_validate_json(response.content)
        credentials = self._resolve_storage_credentials(answer.storage_credentials, table.place)
        found = self._storage({**table.config, **credentials}, self._own_storage())
        return found if is_temporary(found) else None

    def _address_of_credentials(self, table: VendedTable) -> str | None:
        """Return the address that the table's configuration names on the catalog's server, or that of the protocol."""
        named = next((str(table.config[name]) for name in _ADDRESSES if table.config.get(name)), None)
        is_off = any(str(table.config.get(name, "")).lower() == "false" for name in _SWITCHES)
        if named is not None and not is_off:
            url = named if "://" in named else f"{self.uri.rstrip('/')}/{named.lstrip('/')}"
            if urlsplit(url)[:2] == urlsplit(self.uri)[:2]:  # the catalog's token is for its own server only
                return url
        if Capability.V1_LOAD_CREDENTIALS not in self._supported_endpoints:
            return None
        path = self._split_identifier_for_path(table.identifier)
        return self.url(Endpoints.load_credentials, prefixed=True, **path)

    def _by_load(self, table: VendedTable) -> Mapping[str, str]:
        """Return the properties by another load. Raises StateConflict: it is another table, or elsewhere."""
        loaded = self.load_table(table.identifier)
        if str(loaded.metadata.table_uuid) != table.uuid:
            raise StateConflict("the catalog has another table under this name now")
        return dict(loaded.io.properties)
