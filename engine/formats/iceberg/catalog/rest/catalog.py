"""REST catalogs through PyIceberg, hardened: request time limits, no other servers, no configuration by tables.

PyIceberg sends REST requests without a time limit, imports classes named in table properties, and configures storage
from table properties. Here only `file_access` creates storage, from the catalog's own properties and those that it
vends, and it opens only files in the table's scope. Of a response to `/v1/config`, only the properties in `_PROTOCOL`
and `vended.vended` are used.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import requests
from pydantic_core import from_json
from pyiceberg.catalog.rest import Capability, Endpoint, Endpoints, TableResponse
from pyiceberg.catalog.rest.auth import AuthManager
from pyiceberg.catalog.rest.response import _handle_non_200_response
from pyiceberg.exceptions import (
    BadRequestError,
    CommitFailedException,
    CommitStateUnknownException,
    ForbiddenError,
    NoSuchTableError,
    RESTError,
)
from pyiceberg.table import CommitTableRequest, CommitTableResponse, Namespace, Table, TableIdentifier
from pyiceberg.table.update import AssertTableUUID, TableRequirement, TableUpdate
from pyiceberg.typedef import EMPTY_DICT, Identifier, Properties
from pyiceberg.utils.properties import get_header_properties
from requests import PreparedRequest

from engine.aws.sessions import AwsSession
from engine.domain.errors import RequestNotServed, StateConflict
from engine.domain.values.uris import masked
from engine.formats.base import OWN_LOCATION, FileScope
from engine.formats.iceberg.catalog.file_access import GuardedFileIO, KeptStorage, file_io, own_properties
from engine.formats.iceberg.catalog.rest.pages import refreshing
from engine.formats.iceberg.catalog.rest.renewals import NOT_SERVED, RenewingCatalog, VendedTable
from engine.formats.iceberg.catalog.rest.sessions import guard
from engine.formats.iceberg.catalog.rest.signing import SignedRequests, is_signed
from engine.formats.iceberg.catalog.rest.tls import context_for
from engine.formats.iceberg.catalog.rest.tokens import CatalogTokens
from engine.formats.iceberg.errors import summary_of
from engine.formats.iceberg.intake.metadata_fields import fields_of
from engine.formats.iceberg.intake.metadata_files import kept_document
from engine.formats.iceberg.intake.newer_types import readable_answer
from engine.formats.iceberg.intake.read_tables import ReadTable
from engine.formats.intake.catalogs.vended import signs_remotely, vended, vended_addresses, vended_hosts
from engine.formats.intake.errors import printable
from engine.formats.intake.parameters import meaningless_in
from engine.outgoing.bounds import CheckPeer, any_peer

_REMOTE_SIGNING: Final = (
    "the catalog signs each request to the store itself (s3.remote-signing-enabled), which is not supported: let it "
    "vend credentials, or give the catalog's properties s3.access-key-id and s3.secret-access-key"
)


CheckAddresses = Callable[[Mapping[str, str]], None]
"""Raises `InvalidInput` for forbidden addresses; the argument maps property names to addresses."""


def time_ordered_uuid() -> UUID:
    """Return a new UUID of version 7 (RFC 9562): the time in milliseconds, then 74 random bits."""
    random = uuid4().int
    number = (time.time_ns() // 1_000_000) << 80 | 7 << 76 | random & ((1 << 76) - 1)
    return UUID(int=number & ~(0b11 << 62) | 0b10 << 62)


def any_address(_addresses: Mapping[str, str]) -> None:
    """Allow every address."""


_PROTOCOL: Final = ("prefix", "namespace-separator", "warehouse", "view-endpoints-supported", "rest-page-size")
"""Properties that a REST catalog's `/v1/config` may set in addition to those of `vended.vended`."""
_LONGEST_SHOWN: Final = 200
_REPEATS: Final = "idempotency-key-lifetime"
"""Field of `/v1/config` of servers that recognize a repeated request by its key."""
_ANSWERS: Final[dict[int, type[Exception]]] = {
    409: CommitFailedException,
    **dict.fromkeys((500, 502, 504), CommitStateUnknownException),
}
_REFUSALS: Final = (BadRequestError, ForbiddenError)
"""Answers 400 and 403: by the REST specification, and to Iceberg's own client, such a commit had no effect."""
_TABLE_CONFIG: Final = ("token",)
"""Properties that a REST catalog's table response may set for later requests for that table to the same server."""


class GuardedRestCatalog(RenewingCatalog):
    """A REST catalog whose requests have time limits and reach only allowed servers.

    Its responses can't select code to run or servers to contact.
    """

    scope: FileScope = OWN_LOCATION
    _knows_repeats = False

    def __init__(
        self,
        name: str,
        *,
        check_peer: CheckPeer = any_peer,
        check_addresses: CheckAddresses = any_address,
        **properties: str,
    ) -> None:
        self._check_peer = check_peer
        self._check_addresses = check_addresses
        self._tokens: CatalogTokens | None = None
        self._vended_hosts = vended_hosts(properties)
        self._kept_storage = KeptStorage()
        self._aws = AwsSession(properties, service="rest") if is_signed(properties) else None
        self._tls = context_for(properties)
        super().__init__(name, **properties)  # asks the server for its settings

    def within(self, scope: FileScope) -> Self:
        """Return this catalog, with the same connections, for a table whose files are in a scope."""
        other = copy(self)
        other.scope = scope
        return other

    def _fetch_config(self) -> None:
        """Fetch the server's configuration and apply the allowed properties.

        Raises:
            StateConflict: the configuration has another server's `uri`: credentials are for this server only; or
                there is no catalog at this address.
        """
        own, uri = dict(self.properties), self.uri
        try:
            super()._fetch_config()
        except RESTError as error:
            if type(error) not in NOT_SERVED:
                raise
            remedy = "check `uri` and `warehouse`: there is no such catalog at this address"
            raise StateConflict(f"{summary_of(error)}; {remedy}") from error
        said = {name: value for name, value in self.properties.items() if own.get(name) != value}
        if urlsplit(str(said.get("uri", uri)))[:2] != urlsplit(uri)[:2]:
            other = masked(printable(str(said["uri"])[:_LONGEST_SHOWN]))
            raise StateConflict(
                f"the catalog's /v1/config names another server, {other}, which is not followed: give its address as "
                "`uri`, or let the proxies between pass on their own name (the headers Host or X-Forwarded-Host)"
            )
        taken: dict[str, Any] = {name: said[name] for name in ("uri", *_PROTOCOL) if name in said}
        others = {name: value for name, value in own.items() if name not in own_properties(own)}
        self.properties = {**others, **taken, **self._storage(said, own_properties(own))}
        self.uri = self.properties["uri"]

    @refreshing
    def load_table(self, identifier: str | Identifier) -> ReadTable:
        """Load a table with all of its snapshots, and with the fields of its metadata that PyIceberg leaves out.

        Raises:
            NoSuchTableError: the catalog has no such table.
        """
        self._check_endpoint(Capability.V1_LOAD_TABLE)
        url = self.url(Endpoints.load_table, prefixed=True, **self._split_identifier_for_path(identifier))
        response = self._get(url, {}, missing=NoSuchTableError)
        readable, types = readable_answer(response.content)
        answer = TableResponse.model_validate_json(readable)
        document = from_json(response.content).get("metadata")
        table = self._read_table(self.identifier_to_tuple(identifier), answer, document)
        table.newer_types, table.is_translated = types, readable is not response.content
        return table

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Commit updates to a table; servers that recognize repeated requests get a key for this one.

        The key is the same when the request is sent again after a refused token, or twice by a proxy.

        Raises:
            RequestNotServed: the server offers no commits, or refuses this one whatever the table's state is.
            CommitFailedException: a requirement is not met. Exception: any other answer, or none.
        """
        key = {"Idempotency-Key": str(time_ordered_uuid())} if self._knows_repeats else {}
        try:
            return self._commit(table, requirements, updates, key)
        except _REFUSALS as error:
            raise RequestNotServed(f"the catalog refuses the commit: {summary_of(error)}") from error

    @refreshing
    def _commit(
        self,
        table: Table,
        requirements: tuple[TableRequirement, ...],
        updates: tuple[TableUpdate, ...],
        headers: dict[str, str],
    ) -> CommitTableResponse:
        self._check_endpoint(Capability.V1_UPDATE_TABLE)
        *namespace, name = table.name()
        identifier = TableIdentifier(namespace=Namespace(root=tuple(namespace)), name=name)
        request = CommitTableRequest(identifier=identifier, requirements=requirements, updates=updates)
        own = {"Authorization": f"Bearer {token}"} if (token := table.config.get("token")) else {}
        url = self.url(Endpoints.update_table, prefixed=True, **self._split_identifier_for_path(identifier))
        response = self._session.post(url, data=request.model_dump_json().encode(), headers={**own, **headers})
        try:
            response.raise_for_status()
        except requests.HTTPError as error:
            _handle_non_200_response(error, _ANSWERS)  # always raises
        return CommitTableResponse.model_validate_json(response.content)

    def check_writing(self, table: Table) -> str:
        """Send a commit without a change that requires another table's uuid: the server refuses it for one reason.

        Raises:
            ForbiddenError, UnauthorizedError: the credentials may not commit.
        """
        with suppress(CommitFailedException):
            self._commit(table, (AssertTableUUID(uuid=uuid4()),), (), {})
        return "the credentials may commit to tables"

    def _read_table(self, identifier: tuple[str, ...], table_response: TableResponse, document: Any) -> ReadTable:
        metadata, place = table_response.metadata, table_response.metadata_location
        credentials = self._resolve_storage_credentials(table_response.storage_credentials, place)
        said, own = {**table_response.config, **credentials}, self._own_storage()
        properties = self._storage(said, own)
        if signs_remotely(said) and properties == own and not own.keys() & {"s3.access-key-id", "client.access-key-id"}:
            raise StateConflict(_REMOTE_SIGNING)
        loaded = VendedTable(identifier, str(metadata.table_uuid), place or metadata.location, said)
        return ReadTable(
            identifier=identifier,
            metadata=metadata,
            metadata_location=place,
            io=file_io(self._renewed(loaded, properties), self.scope.folders(metadata.location)),
            catalog=self,
            config={name: table_response.config[name] for name in _TABLE_CONFIG if name in table_response.config},
            fields=fields_of(document),
            document=kept_document(metadata, document),
            meaningless=meaningless_in(self.properties),
        )

    def _own_storage(self) -> dict[str, str]:
        """Return the catalog's own properties of file access, with the credentials of its profile or role."""
        own = own_properties(self.properties)
        return own if self._aws is None else self._aws.storage(own)

    def _storage(self, answer: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, str]:
        properties = vended(answer, own, hosts=self._vended_hosts)
        self._check_addresses(vended_addresses(properties, own))
        return properties

    def _create_session(self) -> requests.Session:
        session = super()._create_session()
        guard(session, self._check_peer, self._tls)
        session.hooks["response"].append(self._note_repeats)
        return session

    def _note_repeats(self, response: requests.Response, **_options: Any) -> None:
        """Keep the one field of `/v1/config` that PyIceberg leaves out."""
        if response.ok and urlsplit(response.url).path.endswith("/v1/config"):
            document = from_json(response.content)
            self._knows_repeats = isinstance(document, dict) and bool(document.get(_REPEATS))

    def _check_endpoint(self, endpoint: Endpoint) -> None:
        """Raise `RequestNotServed` if the server lists its endpoints, and this one is not among them."""
        try:
            super()._check_endpoint(endpoint)
        except NotImplementedError as error:
            raise RequestNotServed(
                f"the catalog's /v1/config lists no endpoint {printable(str(endpoint))}: it takes no such request "
                "from any client; a catalog that only reads tables can't have them rewritten"
            ) from error

    def _init_sigv4(self, session: requests.Session) -> None:
        """Let a session sign its requests; nothing is sent."""
        has_token = any(name in self.properties for name in ("credential", "token"))
        first = cast("Callable[[PreparedRequest], PreparedRequest]", session.auth) if has_token else None
        if self._aws is not None:
            session.auth = SignedRequests(self._aws, self.properties, first)

    def _create_legacy_oauth2_auth_manager(self, session: requests.Session) -> AuthManager:  # noqa: ARG002
        """Return the tokens of the catalog, which all of its sessions share; asks no server.

        The catalog's own headers go to its own server only, as the name of its realm must.
        """
        if self._tokens is None:
            credential = self.properties.get("credential")
            url = None if credential is None else self.auth_url
            is_own = url is not None and urlsplit(url)[:2] == urlsplit(self.uri)[:2]
            self._tokens = CatalogTokens(
                url=url,
                credential=credential,
                initial_token=self.properties.get("token"),
                parameters=self._extract_optional_oauth_params(),
                headers=get_header_properties(self.properties) if is_own else {},
                check_peer=self._check_peer,
                tls=self._tls,
            )
        return self._tokens

    def _loadfile_io(self, properties: Properties = EMPTY_DICT, location: str | None = None) -> GuardedFileIO:  # noqa: ARG002
        """Return storage that opens nothing: tables get theirs from their responses (`_read_table`)."""
        return file_io({}, ())
