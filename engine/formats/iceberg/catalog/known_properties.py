"""Find misspelt catalog properties by comparing with PyIceberg's; it silently ignores unknown ones.

Its properties are constants of some of its modules. Some of these constants are not properties; including them only
means that property names equal to them are not reported.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

import pyiceberg.catalog
import pyiceberg.catalog.rest
import pyiceberg.catalog.sql
import pyiceberg.io

from engine.formats.iceberg.catalog.catalogs import CATALOG_NAME
from engine.formats.iceberg.procedures.native import SPARK_CATALOG

_MODULES: Final = (pyiceberg.io, pyiceberg.catalog, pyiceberg.catalog.rest, pyiceberg.catalog.sql)
_WITHOUT_A_CONSTANT: Final = ("echo", "pool_pre_ping", "init_catalog_tables", "header.X-Iceberg-Access-Delegation")
_OPEN_ENDED: Final = ("header.", "table-default.", "table-override.", "view-default.", "view-override.")
_SIMILAR: Final = 0.75


def _known() -> frozenset[str]:
    constants = (value for module in _MODULES for name, value in vars(module).items() if name.isupper())
    texts = {text for text in constants if isinstance(text, str)}
    refused = {text for text in texts if text.startswith("py-")}  # not to be proposed for Java's `io-impl`
    return frozenset({CATALOG_NAME, SPARK_CATALOG, *_WITHOUT_A_CONSTANT, *(texts - refused)})


KNOWN: Final = _known()


def misspelt(properties: Iterable[str]) -> Mapping[str, str]:
    """Return the unknown property names that are similar to a known one, each with that one."""
    found = {}
    for name in properties:
        if name in KNOWN or name.startswith(_OPEN_ENDED):
            continue
        if near := difflib.get_close_matches(name, KNOWN, n=1, cutoff=_SIMILAR):
            found[name] = near[0]
    return found
