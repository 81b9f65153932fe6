"""Open catalogs by their type."""

from collections.abc import Mapping
from typing import Final, TypeAlias

from engine.extras import require
from engine.formats.iceberg.catalog.rest.catalog import CheckAddresses, GuardedRestCatalog, any_address
from engine.formats.iceberg.catalog.stored.hive import open_hive_catalog
from engine.formats.iceberg.catalog.stored.pointers import StoredPointers
from engine.formats.iceberg.catalog.stored.sql import open_sql_catalog
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere

CATALOG_NAME: Final = "catalog-name"

GuardedCatalog: TypeAlias = StoredPointers | GuardedRestCatalog


def load(
    name: str,
    properties: Mapping[str, str],
    *,
    check_location: CheckLocation = anywhere,
    check_peer: CheckPeer = any_peer,
    check_addresses: CheckAddresses = any_address,
) -> GuardedCatalog:
    """Open a catalog; may block on it. `properties` are validated, with secrets resolved.

    `check_location` is called with a SQL catalog's metadata location before it is read (a REST catalog sends the
    metadata), `check_peer` on each new connection to a REST catalog, and `check_addresses` with the store addresses in
    a REST catalog's responses.
    """
    own = {key: value for key, value in properties.items() if key not in {CATALOG_NAME, "type"}}
    name = properties.get(CATALOG_NAME, name)
    if properties["type"] == "rest":
        return GuardedRestCatalog(name, check_peer=check_peer, check_addresses=check_addresses, **own)
    if properties["type"] == "glue":
        require("boto3", purpose="a catalog of type glue", install="'packhouse-server[aws]'")
        from engine.formats.iceberg.catalog.stored.glue import open_glue_catalog  # noqa: PLC0415 - it imports boto3

        return open_glue_catalog(name, own, check_location=check_location, check_peer=check_peer)
    if properties["type"] == "hive":
        return open_hive_catalog(name, own, check_location=check_location, check_peer=check_peer)
    return open_sql_catalog(name, own, check_location=check_location, check_peer=check_peer)
