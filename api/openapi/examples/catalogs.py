"""Values of catalogs, their grants and the discovery of tables."""

from collections.abc import Mapping
from typing import Any, Final

from api.openapi.examples.names import REGISTERED

OF_MODELS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Catalog": {
        "name": "lake",
        "format": "iceberg",
        "properties": {"type": "sql", "uri": "env:LAKE_CATALOG_URI", "warehouse": "s3://lake/warehouse"},
        "allowed_locations": ["s3://lake/warehouse"],
        "outside_files": "refuse",
        "created_at": REGISTERED,
        "pause": None,
    },
    "CatalogCheck": {"ok": True},
    "CatalogGrants": {"catalog": "lake"},
    "CheckStep": {"ok": True, "detail": "sql catalog lake at env:LAKE_CATALOG_URI", "name": "open_catalog"},
    "DiscoveredTable": {"outcome": "already_registered"},
    "Discovery": {"examined": 1, "truncated": False, "counts": {"already_registered": 1}},
    "RegistrationPreview": {
        "examined": 1,
        "truncated": False,
        "counts": {"already_registered": 1},
        "deletions": None,
    },
    "Grant": {"team": "sales", "namespaces": ["sales", "sales.*"], "rights": ["discover", "register"]},
}
