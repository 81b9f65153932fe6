"""Keyset pagination with opaque signed tokens: stable while rows are added, and bound to its query."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query
from itsdangerous import BadSignature, URLSafeSerializer
from starlette.requests import Request

from api.listing.query_values import TextWhole
from engine.domain.errors import FieldProblem, InvalidInput

T = TypeVar("T")
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Items of one page, and the token of the next page if there is one."""

    items: Sequence[T]
    next_page_token: str | None


class PageTokens:
    """Creates and reads page tokens. A token has the last key of its page and the query that it belongs to.

    `secret_keys`: all verify tokens, the last one signs them.
    """

    def __init__(self, *, secret_keys: Sequence[str]) -> None:
        self._serializer = URLSafeSerializer(list(secret_keys), salt="packhouse.page")

    def seal(self, query: str, last: str | int) -> str:
        """Return the token that continues a query after a key."""
        return str(self._serializer.dumps([_digest(query), last]))

    def open(self, query: str, token: str) -> str | int:
        """Return the key to continue after, or raise `InvalidInput`: not issued here, or for another query."""
        try:
            digest, last = self._serializer.loads(token)
        except (BadSignature, ValueError, TypeError):
            raise _bad("this is not a page token of this installation") from None
        if digest != _digest(query) or not isinstance(last, str | int):
            raise _bad("this page token belongs to another query: keep path and filters the same from page to page")
        return last


class PageRequest:
    """The page that one request asks for."""

    def __init__(self, *, tokens: PageTokens, query: str, size: int, token: str | None) -> None:
        self._tokens = tokens
        self._query = query
        self._size = size
        self._token = token

    @property
    def size(self) -> int:
        """Most items on the page."""
        return self._size

    def position(self, of: Callable[[Any], Key]) -> Key | None:
        """Return the position of type `of` in the request's token, None for the first page; see `seal`."""
        return None if self._token is None else of(self._tokens.open(self._query, self._token))

    def seal(self, position: str | int | None) -> str | None:
        """Return the token of the page that begins at a position, for lists whose items have no key; None: the end."""
        return None if position is None else self._tokens.seal(self._query, position)

    async def collect(
        self,
        fetch: Callable[[Key | None, int], Awaitable[Sequence[T]]],
        *,
        key: Callable[[T], str | int],
        of: Callable[[Any], Key],
    ) -> Page[T]:
        """Fetch one page: `fetch(after, limit)` returns items after a key, `key` returns an item's key of type `of`."""
        after = self.position(of)
        found = await fetch(after, self._size + 1)
        items = found[: self._size]
        more = len(found) > len(items)
        return Page(items, self._tokens.seal(self._query, key(items[-1])) if more else None)

    async def collect_walked(
        self,
        fetch: Callable[[Key | None, int], Awaitable[tuple[Sequence[T], Key | None]]],
        *,
        key: Callable[[T], str | int],
        of: Callable[[Any], Key],
    ) -> Page[T]:
        """Fetch one page like `collect`; `fetch` also returns the key to continue after if it stopped early."""
        after = self.position(of)
        found, walked_to = await fetch(after, self._size + 1)
        items = found[: self._size]
        last: Any = key(items[-1]) if len(found) > len(items) else walked_to
        return Page(items, None if last is None else self._tokens.seal(self._query, last))


async def pages(
    request: Request,
    page_size: Annotated[TextWhole, Query(ge=1, le=500, description="Items on a page.")] = 50,
    page_token: Annotated[
        str | None, Query(max_length=1024, description="`next_page_token` of the page before.")
    ] = None,
) -> PageRequest:
    """Return the page that a request asks for. The token is bound to the path and every other parameter."""
    others = sorted((name, value) for name, value in request.query_params.multi_items() if not name.startswith("page_"))
    query = repr((request.url.path, others))
    return PageRequest(tokens=request.app.state.page_tokens, query=query, size=page_size, token=page_token)


PageQuery = Annotated[PageRequest, Depends(pages)]


def _digest(query: str) -> str:
    return hashlib.sha256(query.encode()).hexdigest()[:16]


def _bad(message: str) -> InvalidInput:
    problem = FieldProblem("query:page_token", message, None, "begin again without page_token")
    return InvalidInput("the page token can't be used", problems=(problem,))
