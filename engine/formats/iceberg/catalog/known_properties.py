"""Properties of catalogs: those without secrets, and misspelt ones, which PyIceberg silently ignores.

PyIceberg's properties are constants of some of its modules. Some of these constants are not properties; including them
only means that property names equal to them are not reported.
"""

import difflib
from collections.abc import Iterable, Mapping
from typing import Final

import pyiceberg.catalog
import pyiceberg.catalog.rest
import pyiceberg.catalog.sql
import pyiceberg.io

from engine.domain.tables.capabilities import CatalogProperty, CatalogType, unserved_type
from engine.formats.base import PLAIN_OF_STORES, SPARK_CATALOG, PlainProperties
from engine.formats.iceberg.catalog.catalogs import CATALOG_NAME
from engine.formats.iceberg.catalog.rest.signing import ENABLED, SERVICE
from engine.formats.iceberg.catalog.rest.tls import TLS_PROPERTIES, TRUSTED
from engine.formats.intake.catalogs.glue.properties import (
    GLUE_PROPERTIES,
    IDENTITY,
    OF_GLUE,
    OF_ROLES,
    PLAIN_OF_AWS,
    SKIP_ARCHIVE,
)
from engine.formats.intake.catalogs.metastores.properties import ACCESS_PROPERTIES, PLAIN_OF_ACCESS
from engine.formats.intake.catalogs.vended import VENDED_HOSTS
from engine.formats.intake.parameters import MEANINGLESS

_MODULES: Final = (pyiceberg.io, pyiceberg.catalog, pyiceberg.catalog.rest, pyiceberg.catalog.sql)
_WITHOUT_A_CONSTANT: Final = (
    VENDED_HOSTS,
    "echo",
    "pool_pre_ping",
    "init_catalog_tables",
    "header.X-Iceberg-Access-Delegation",
    "s3.sse.type",
    "s3.sse.key",
    "s3.requester-pays",
    "gcs.user-project",
    "gcs.no-auth",
    "gcs.encryption-key",
    "gcs.decryption-key",
    "adls.auth.shared-key.account.name",
    "adls.auth.shared-key.account.key",
    "rest.access-key-id",
    "rest.secret-access-key",
    "rest.session-token",
    "rest.profile-name",
    *OF_ROLES,
    *OF_GLUE,
)
_OPEN_ENDED: Final = (
    "adls.sas-token.",
    "header.",
    "table-default.",
    "table-override.",
    "view-default.",
    "view-override.",
)
_SIMILAR: Final = 0.75
_WITHOUT_SECRETS: Final = """
type uri warehouse prefix location catalog-name packhouse.spark-catalog init_catalog_tables echo pool_pre_ping
io-impl catalog-impl rest-page-size namespace-separator snapshot-loading-mode scan-planning-mode
view-endpoints-supported downcast-ns-timestamp-to-us-on-write oauth2-server-uri scope audience resource
auth.manager rest.signing-name rest.signing-region rest.sigv4-enabled rest.sigv4.max-retries
header.x-iceberg-access-delegation hf.endpoint packhouse.vended-hosts rest.profile-name
"""

PLAIN: Final = PlainProperties(
    names=PLAIN_OF_STORES | PLAIN_OF_ACCESS | PLAIN_OF_AWS | {MEANINGLESS, TRUSTED, *_WITHOUT_SECRETS.split()},
    prefixes=("table-default.", "table-override.", "view-default.", "view-override."),
)
"""Properties whose values are not secrets."""


_SPARK: Final = CatalogProperty(SPARK_CATALOG, "Name of the catalog in Spark; Iceberg's own procedures need it.")

TYPES: Final = (
    CatalogType(
        "rest",
        "REST",
        (
            CatalogProperty("uri", "Address of the server: https://…", is_required=True),
            CatalogProperty("warehouse", "Name or location of the warehouse, as the server knows it."),
            CatalogProperty(
                "credential", "Client id and secret of OAuth 2.", is_secret=True, example="env:LAKE_CREDENTIAL"
            ),
            CatalogProperty("token", "Bearer token, in place of a credential.", is_secret=True),
            CatalogProperty("oauth2-server-uri", "Address that gives tokens for the credential."),
            CatalogProperty("scope", "Scope of OAuth 2."),
            *TLS_PROPERTIES,
            CatalogProperty(ENABLED, "true: requests are signed for AWS, as Glue's and S3 Tables' own servers need."),
            CatalogProperty(SERVICE, "Name of the service in signatures: glue or s3tables."),
            CatalogProperty("client.region", "Region of AWS, for signatures and S3."),
            *IDENTITY,
            CatalogProperty(VENDED_HOSTS, "Hosts of stores that the server may name, separated by commas."),
            _SPARK,
        ),
    ),
    CatalogType(
        "sql",
        "SQL",
        (
            CatalogProperty("uri", "Address of the database.", is_required=True, example="env:LAKE_CATALOG_URI"),
            CatalogProperty("warehouse", "Folder of the tables, such as s3://lake/warehouse."),
            CatalogProperty(CATALOG_NAME, "Its name in the database, if that is not its name here."),
            _SPARK,
        ),
    ),
    CatalogType("hive", "Hive Metastore", (*ACCESS_PROPERTIES, _SPARK)),
    CatalogType(
        "glue",
        "AWS Glue",
        (
            *GLUE_PROPERTIES,
            CatalogProperty(SKIP_ARCHIVE, "true, the default: Glue keeps no old versions, of which it allows 100,000."),
            _SPARK,
        ),
    ),
    unserved_type("dynamodb", "AWS DynamoDB"),
    unserved_type("bigquery", "BigQuery Metastore"),
)
"""Types of Iceberg catalogs with their usual properties; PyIceberg has more."""


def _known() -> frozenset[str]:
    constants = (value for module in _MODULES for name, value in vars(module).items() if name.isupper())
    texts = {text for text in constants if isinstance(text, str)}
    refused = {text for text in texts if text.startswith("py-")}  # not to be proposed for Java's `io-impl`
    return frozenset(
        {
            CATALOG_NAME,
            SPARK_CATALOG,
            MEANINGLESS,
            *_WITHOUT_A_CONSTANT,
            *(texts - refused),
            *(each.name for each in (*ACCESS_PROPERTIES, *TLS_PROPERTIES)),
        }
    )


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
