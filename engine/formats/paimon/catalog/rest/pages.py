"""Lists of names that a REST catalog answers in pages."""

import time
from collections.abc import Iterator
from typing import Final

from engine.domain.errors import StateConflict, Transient
from engine.formats.paimon.catalog.rest.client import RestClient
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_NAMES: Final = 100_000
MOST_PAGES: Final = 10_000
LIST_SECONDS: Final = 300.0

_LONGEST_TOKEN: Final = 2000


def names_of(client: RestClient, path: str, field: str, *, until: float | None = None) -> Iterator[str]:
    """Yield the names of all pages.

    Args:
        client: sends the requests.
        path: the path of the list.
        field: the field of an answer that has the names; the server leaves it out if there are none.
        until: the time, as of `time.monotonic`, at which the list must be complete; by default in `LIST_SECONDS`.

    Raises:
        StateConflict: there are more names than `MOST_NAMES`, or pages without an end.
        Transient: it takes too long.
        NoSuch, NotAllowed, NotSupported, StateConflict, Away, Malformed: as `RestClient`.
    """
    token, seen, count = "", set[str](), 0
    until = time.monotonic() + LIST_SECONDS if until is None else until
    while True:
        stop_if_abandoned()
        answer = client.get(path, {"pageToken": token} if token else None)
        names = answer.texts(field)
        count += len(names)
        yield from names
        token = answer.optional_text("nextPageToken") or ""
        if not token:
            return
        if token in seen or len(token) > _LONGEST_TOKEN or len(seen) >= MOST_PAGES or count > MOST_NAMES:
            raise StateConflict(f"the catalog has more than {MOST_NAMES} {field}, or its pages have no end")
        if time.monotonic() > until:
            raise Transient(f"the catalog did not list its {field} within {LIST_SECONDS:.0f} s")
        seen.add(token)
