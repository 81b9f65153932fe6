"""The state of one iteration over a paged list: the next page, and the items that were given.

A list whose page token has expired (`ListExpired`) begins again. Items of lists with a key are given once: after such a
beginning, and if an item moves in the order of the list while it is read.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from packhouse_client.errors import ListExpired

T = TypeVar("T")
_MOST_BEGINNINGS: Final = 10
"""Most beginnings in a row without a new item; after one more the error is raised."""


class Walk(Generic[T]):
    """One iteration. `arguments` are those of the next page, `key` names the fields that identify an item (or none).

    An iteration that was asked to start at a page token does not begin again.
    """

    def __init__(self, arguments: Mapping[str, Any], key: Sequence[str]) -> None:
        self.arguments = dict(arguments)
        self._key = key
        self._given: set[tuple[str, ...]] = set()
        self._is_whole = not arguments.get("page_token")
        self._beginnings = 0

    def new(self, items: Sequence[T]) -> list[T]:
        """Return the items that were not given before, and count them as given."""
        if not self._key:
            return list(items)
        keyed = {tuple(str(_field(item, name)) for name in self._key): item for item in items}
        found = [item for key, item in keyed.items() if key not in self._given]
        self._given.update(keyed)
        if found:
            self._beginnings = 0
        return found

    def go_on(self, token: str | None) -> bool:
        """Continue with the page of a token; return whether there is one."""
        self.arguments["page_token"] = token
        return bool(token)

    def begin_again(self, error: ListExpired) -> None:
        """Continue with the first page, or raise the error after several beginnings without a new item."""
        self._beginnings += 1
        if not self._is_whole or not self.arguments.get("page_token") or self._beginnings > _MOST_BEGINNINGS:
            raise error
        self.arguments["page_token"] = None


def _field(item: object, name: str) -> object:
    return item[name] if isinstance(item, Mapping) else getattr(item, name)
