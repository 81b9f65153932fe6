"""Addresses of tables as text: `catalog.namespace.name`, with one part for each level of the namespace.

A part that has a dot or a double quote is written in double quotes, with each quote doubled, as SQL identifiers are:

    lake.shop.orders             namespace ("shop",), name "orders"
    lake."shop.eu".orders        namespace ("shop.eu",)
    lake.shop."the ""new"" one"  name 'the "new" one'

An id of a table has no dot and an address has at least two, so one field takes both.
"""

import re
from typing import Final

from engine.domain.tables.table import TableRef

MOST_CHARACTERS: Final = 4096
_ID: Final = r"[A-Za-z0-9_-]{1,64}"
_PART: Final = r'([^".\u0000-\u001f\u007f]+|"([^"\u0000-\u001f\u007f]|"")+")'
TABLE_PATTERN: Final = rf"^{_ID}(\.{_PART}){{2,17}}$|^{_ID}$"
"""Regular expression of a table's id or address, for the API's description."""
_PARTS: Final = re.compile(r'(?:\A|(?!\A)\.)(?:"((?:[^"]|"")+)"|([^".]+))')


def is_address(text: str) -> bool:
    """Return whether a reference to a table is an address rather than an id."""
    return "." in text


def parse_address(text: str) -> TableRef:
    """Parse an address.

    Raises:
        ValueError: fewer than three parts, an empty part, or a quote that is not closed.
    """
    parts, end = [], 0
    while end < len(text) and (match := _PARTS.match(text, end)) is not None:
        parts.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        end = match.end()
    if end != len(text) or len(parts) < 3:  # noqa: PLR2004 - catalog, one namespace, name
        message = f"{text!r} is not a table address: write catalog.namespace.name"
        raise ValueError(message)
    return TableRef(parts[0], tuple(parts[1:-1]), parts[-1])


def written_address(ref: TableRef) -> str:
    """Return an address as text that `parse_address` reads."""
    return ".".join(_written(part) for part in (ref.catalog, *ref.namespace, ref.name))


def _written(part: str) -> str:
    return '"' + part.replace('"', '""') + '"' if '"' in part or "." in part else part
