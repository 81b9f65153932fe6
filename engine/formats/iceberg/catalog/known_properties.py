"""Properties of catalogs: those without secrets, and misspelt ones, which PyIceberg silently ignores.

PyIceberg's properties are constants of some of its modules. Some of these constants are not properties; including them
only means that property names equal to them are not reported.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import pyiceberg.catalog
import pyiceberg.catalog.rest
import pyiceberg.catalog.sql
import pyiceberg.io

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty, CatalogType, unserved_type
from engine.domain.values.uris import masked
from engine.formats.base import PLAIN_OF_STORES, SPARK_CATALOG, PlainProperties
from engine.formats.iceberg.catalog.catalogs import CATALOG_NAME
from engine.formats.iceberg.catalog.rest.signing import ENABLED, SERVICE
from engine.formats.iceberg.catalog.rest.tls import TLS_PROPERTIES, TRUSTED
from engine.formats.iceberg.catalog.rest.vended import VENDED_HOSTS
from engine.formats.intake.catalogs.metastores.properties import ACCESS_PROPERTIES, PLAIN_OF_ACCESS
from engine.formats.intake.parameters import MEANINGLESS

ENDPOINT: Final = "glue.endpoint"
CATALOG_ID: Final = "glue.id"
SKIP_ARCHIVE: Final = "glue.skip-archive"

_MODULES: Final = (pyiceberg.io, pyiceberg.catalog, pyiceberg.catalog.rest, pyiceberg.catalog.sql)
_OF_GLUE: Final = (
    *(ENDPOINT, CATALOG_ID, SKIP_ARCHIVE, "glue.region", "glue.profile-name"),
    *("glue.access-key-id", "glue.secret-access-key", "glue.session-token"),
)
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
    "client.assume-role.arn",
    "client.assume-role.session-name",
    "client.assume-role.external-id",
    "client.assume-role.region",
    "rest.access-key-id",
    "rest.secret-access-key",
    "rest.session-token",
    "rest.profile-name",
    *_OF_GLUE,
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
_LONGEST_SHOWN: Final = 80
_REFERENCES: Final = ("env:", "file:")
_SWITCH: Final = (re.compile("true|false", re.IGNORECASE), "is neither true nor false", "write true or false")
_ROLE: Final = (
    re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,600}"),
    "is not the ARN of a role",
    "give its ARN, such as arn:aws:iam::123456789012:role/packhouse",
)
_FORMS: Final[Mapping[str, tuple[re.Pattern[str], str, str]]] = {
    ENABLED: _SWITCH,
    SKIP_ARCHIVE: _SWITCH,
    "client.role-arn": _ROLE,
    "client.assume-role.arn": _ROLE,
    ENDPOINT: (
        re.compile(r"https?://[^\s/?#@]+(?:/\S*)?"),
        "is not an address",
        "begin it with https:// or http://, or leave it out for AWS's own address",
    ),
    CATALOG_ID: (
        re.compile(r"\d{12}(?::[\w/.-]{1,200})?"),
        "is not the id of a catalog of Glue",
        "give the 12 digits of an account, with :s3tablescatalog/… for a catalog in it",
    ),
}
"""The form of the values of properties, with the message and the hint for others."""

_WITHOUT_SECRETS: Final = """
type uri warehouse prefix location catalog-name packhouse.spark-catalog init_catalog_tables echo pool_pre_ping
io-impl catalog-impl rest-page-size namespace-separator snapshot-loading-mode scan-planning-mode
view-endpoints-supported downcast-ns-timestamp-to-us-on-write oauth2-server-uri scope audience resource
auth.manager rest.signing-name rest.signing-region rest.sigv4-enabled rest.sigv4.max-retries
header.x-iceberg-access-delegation hf.endpoint packhouse.vended-hosts
glue.id glue.endpoint glue.skip-archive glue.region glue.profile-name rest.profile-name
client.assume-role.arn client.assume-role.session-name client.assume-role.region client.assume-role.external-id
"""

PLAIN: Final = PlainProperties(
    names=PLAIN_OF_STORES | PLAIN_OF_ACCESS | {MEANINGLESS, TRUSTED, *_WITHOUT_SECRETS.split()},
    prefixes=("table-default.", "table-override.", "view-default.", "view-override."),
)
"""Properties whose values are not secrets."""


_SPARK: Final = CatalogProperty(SPARK_CATALOG, "Name of the catalog in Spark; Iceberg's own procedures need it.")
_IDENTITY: Final = (
    CatalogProperty("client.profile-name", "Profile of AWS on the machines of Packhouse."),
    CatalogProperty("client.role-arn", "Role that Packhouse assumes, and renews."),
    CatalogProperty("client.access-key-id", "Access key, in place of a profile or a role.", is_secret=True),
    CatalogProperty("client.secret-access-key", "Secret of the access key.", is_secret=True),
)
"""Whose credentials sign requests to AWS; without any, those that every AWS SDK finds on the machine."""

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
            *_IDENTITY,
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
            CatalogProperty("client.region", "Region of AWS; without it, that of the process."),
            CatalogProperty(CATALOG_ID, "Account whose catalog it is; without it, that of the credentials."),
            *_IDENTITY,
            CatalogProperty(ENDPOINT, "Address of the service, where it is not AWS's own."),
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


def problems_of_aws(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield the problems of properties that decide about requests to AWS. Nothing is looked up."""
    for name, (form, message, hint) in _FORMS.items():
        found = properties.get(name, "")
        if found and not found.startswith(_REFERENCES) and not form.fullmatch(found):
            yield FieldProblem(f"/properties/{name}", message, masked(found)[:_LONGEST_SHOWN], hint)
    for prefix in ("client", "glue", "rest"):
        halves = [f"{prefix}.access-key-id", f"{prefix}.secret-access-key"]
        missing = [name for name in halves if not properties.get(name)]
        if len(missing) == 1:
            yield FieldProblem(
                f"/properties/{missing[0]}", "is missing", None, f"give {' and '.join(halves)}, or neither"
            )


def misspelt(properties: Iterable[str]) -> Mapping[str, str]:
    """Return the unknown property names that are similar to a known one, each with that one."""
    found = {}
    for name in properties:
        if name in KNOWN or name.startswith(_OPEN_ENDED):
            continue
        if near := difflib.get_close_matches(name, KNOWN, n=1, cutoff=_SIMILAR):
            found[name] = near[0]
    return found
