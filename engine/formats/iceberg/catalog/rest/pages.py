"""Lists of a REST catalog, which answers them page by page: with limits of pages, names and bytes.

PyIceberg asks for pages for as long as the server names a next one, and keeps all of them.
"""

import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import requests
from pyiceberg.catalog.rest import (
    _RETRY_ARGS,
    Capability,
    Endpoints,
    ListNamespaceResponse,
    ListTablesResponse,
    RestCatalog,
)
from pyiceberg.catalog.rest.response import _handle_non_200_response
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.typedef import Identifier
from tenacity import retry

from engine.domain.errors import StateConflict, Transient
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_NAMES: Final = 100_000
MOST_PAGES: Final = 10_000
MOST_BYTES: Final = 32 * 2**20
"""Of all pages of a list: 100,000 tables take about 8 MiB."""

LIST_SECONDS: Final = 300.0

_LONGEST_TOKEN: Final = 8_192
_PAGE_SIZE: Final = "rest-page-size"

_Method = TypeVar("_Method", bound=Callable[..., Any])
_Page = TypeVar("_Page", ListTablesResponse, ListNamespaceResponse)


def refreshing(method: _Method) -> _Method:
    """Return a method that is called a second time, with a new token, if the server refuses the current one."""
    options: dict[str, Any] = _RETRY_ARGS
    return cast("_Method", retry(**options)(method))


class PagedLists(RestCatalog):
    """A REST catalog whose lists of namespaces and tables have an end.

    Both raise:
        NoSuchNamespaceError: it has no such namespace.
        StateConflict: the list is longer than the limits of this module, or names a page twice.
        Transient: its pages take longer than `LIST_SECONDS`.
    """

    @refreshing
    def list_tables(self, namespace: str | Identifier) -> list[Identifier]:
        """Return the identifiers of all tables in a namespace."""
        self._check_endpoint(Capability.V1_LIST_TABLES)
        path = self._encode_namespace_path(self._check_valid_namespace_identifier(namespace))
        found = self._pages(self.url(Endpoints.list_tables, namespace=path), {}, ListTablesResponse)
        return [(*each.namespace, each.name) for page in found for each in page.identifiers]

    @refreshing
    def list_namespaces(self, namespace: str | Identifier = ()) -> list[Identifier]:
        """Return the namespaces directly in a namespace; without one those at the top."""
        self._check_endpoint(Capability.V1_LIST_NAMESPACES)
        parent = self.identifier_to_tuple(namespace)
        # PyIceberg encodes each level before the whole is: servers that decode once then know no such parent
        params = {"parent": self._namespace_separator.join(parent)} if parent else {}
        found = self._pages(self.url(Endpoints.list_namespaces), params, ListNamespaceResponse)
        return [each for page in found for each in page.namespaces]

    def _pages(self, url: str, params: dict[str, str], kind: type[_Page]) -> list[_Page]:
        """Return all pages of a list."""
        params |= {"pageSize": self.properties[_PAGE_SIZE]} if _PAGE_SIZE in self.properties else {}
        until, read_bytes, names = time.monotonic() + LIST_SECONDS, 0, 0
        found: list[_Page] = []
        seen: set[str] = set()
        while True:
            stop_if_abandoned()
            response = self._get(url, params, missing=NoSuchNamespaceError)
            read_bytes += len(response.content)
            _check_limit("bytes of names", read_bytes, MOST_BYTES)
            page = kind.model_validate_json(response.content)
            names += len(page.identifiers if isinstance(page, ListTablesResponse) else page.namespaces)
            _check_limit("names", names, MOST_NAMES)
            found.append(page)
            token = page.next_page_token
            if not token:
                return found
            if token in seen or len(token) > _LONGEST_TOKEN:
                raise StateConflict(
                    "the pages of a list of the catalog have no end: one names a page before it as next"
                )
            _check_limit("pages", len(found), MOST_PAGES)
            if time.monotonic() > until:
                raise Transient(f"the catalog did not answer all pages of a list within {LIST_SECONDS:g} s")
            seen.add(token)
            params["pageToken"] = token

    def _get(self, url: str, params: dict[str, str], *, missing: type[Exception]) -> requests.Response:
        """Return a successful response. Raises `missing` for the status 404, PyIceberg's errors for other failures."""
        response = self._session.get(url, params=params)
        try:
            response.raise_for_status()
        except requests.HTTPError as error:
            _handle_non_200_response(error, {404: missing})  # always raises
        return response


def _check_limit(of: str, found: int, most: int) -> None:
    if found > most:
        raise StateConflict(
            f"a list of the catalog has more than {most} {of}, or no end: spread the tables over more namespaces"
        )
