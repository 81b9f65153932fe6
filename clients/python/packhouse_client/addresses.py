"""Addresses of tables: `catalog.namespace.name`, with more dots for a namespace of several levels.

Every method that accepts a table's id accepts its address too. A part that contains a dot is written in double quotes,
as in `lake."shop.eu".orders`.
"""

import re
from collections.abc import Sequence
from typing import Final

_PART: Final = re.compile(r'(?:\A|(?!\A)\.)(?:"((?:[^"]|"")+)"|([^".]+))')


def split_address(address: str) -> tuple[str, list[str], str]:
    """Return catalog, namespace levels and name.

    Raises:
        ValueError: fewer than three parts, an empty part, or a quote that is not closed.
    """
    parts, end = [], 0
    while end < len(address) and (match := _PART.match(address, end)) is not None:
        parts.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        end = match.end()
    if end != len(address) or len(parts) < 3:  # noqa: PLR2004 - catalog, one namespace, name
        raise ValueError(f"{address!r} is not a table address: write catalog.namespace.name")
    return parts[0], parts[1:-1], parts[-1]


def join_address(catalog: str, namespace: Sequence[str], name: str) -> str:
    """Return the address of these parts, the inverse of `split_address`; a part with a dot or a quote is quoted."""
    return ".".join(_quoted(part) for part in (catalog, *namespace, name))


def _quoted(part: str) -> str:
    return '"' + part.replace('"', '""') + '"' if '"' in part or "." in part else part
