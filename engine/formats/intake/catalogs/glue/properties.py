"""Properties of catalogs that decide about requests to AWS, for the catalogs of all formats.

Their names are PyIceberg's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.domain.errors import FieldProblem
from engine.domain.tables.capabilities import CatalogProperty
from engine.domain.values.uris import masked

ENDPOINT: Final = "glue.endpoint"
CATALOG_ID: Final = "glue.id"
SKIP_ARCHIVE: Final = "glue.skip-archive"
OF_GLUE: Final = (
    *(ENDPOINT, CATALOG_ID, SKIP_ARCHIVE, "glue.region", "glue.profile-name"),
    *("glue.access-key-id", "glue.secret-access-key", "glue.session-token"),
)
"""Those of Glue alone; the others begin with `client.` and are those of all services of AWS."""

OF_ROLES: Final = (
    *("client.assume-role.arn", "client.assume-role.session-name"),
    *("client.assume-role.region", "client.assume-role.external-id"),
)
"""Names of Iceberg's Java clients for a role."""

PLAIN_OF_AWS: Final = frozenset({ENDPOINT, CATALOG_ID, SKIP_ARCHIVE, "glue.region", "glue.profile-name", *OF_ROLES})
"""Those of them whose values are not secrets."""

REGION: Final = CatalogProperty("client.region", "Region of AWS; without it, that of the process.")
IDENTITY: Final = (
    CatalogProperty("client.profile-name", "Profile of AWS on the machines of Packhouse."),
    CatalogProperty("client.role-arn", "Role that Packhouse assumes, and renews."),
    CatalogProperty("client.access-key-id", "Access key, in place of a profile or a role.", is_secret=True),
    CatalogProperty("client.secret-access-key", "Secret of the access key.", is_secret=True),
)
"""Whose credentials sign requests to AWS; without any, those that every AWS SDK finds on the machine."""

GLUE_PROPERTIES: Final = (
    REGION,
    CatalogProperty(CATALOG_ID, "Account whose catalog it is; without it, that of the credentials."),
    *IDENTITY,
    CatalogProperty(ENDPOINT, "Address of the service, where it is not AWS's own."),
)
"""The usual properties of a catalog in Glue."""

_LONGEST_SHOWN: Final = 80
_REFERENCES: Final = ("env:", "file:")

Form = tuple[re.Pattern[str], str, str]
"""The form of the values of a property, with the message and the hint for others."""

SWITCH: Final[Form] = (re.compile("true|false", re.IGNORECASE), "is neither true nor false", "write true or false")
_ROLE: Final[Form] = (
    re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,600}"),
    "is not the ARN of a role",
    "give its ARN, such as arn:aws:iam::123456789012:role/packhouse",
)
_FORMS: Final[Mapping[str, Form]] = {
    SKIP_ARCHIVE: SWITCH,
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

ELSEWHERE: Final = f"if there should be some, check {REGION.name}, {CATALOG_ID} and the rights of the credentials"
"""Said of a catalog without databases."""
REGIONS: Final[Mapping[str, Form]] = {
    REGION.name: (
        re.compile(r"[a-z]{2,8}(?:-[a-z]+)+-\d{1,2}"),
        "is not the name of a region of AWS",
        "give its name, such as eu-central-1",
    )
}
"""The form of the region of Glue; stores and signed requests can be of other services, whose regions have any name."""


def problems_of_aws(
    properties: Mapping[str, str],
    *,
    forms: Mapping[str, Form] | None = None,
    services: Sequence[str] = ("client", "glue"),
) -> Iterator[FieldProblem]:
    """Yield the problems of properties that decide about requests to AWS. Nothing is looked up.

    Args:
        properties: those of a catalog.
        forms: further properties of which values have a form.
        services: what the names of access keys begin with.
    """
    for name, (form, message, hint) in {**_FORMS, **(forms or {})}.items():
        found = properties.get(name, "")
        if found and not found.startswith(_REFERENCES) and not form.fullmatch(found):
            yield FieldProblem(f"/properties/{name}", message, masked(found)[:_LONGEST_SHOWN], hint)
    for service in services:
        halves = [f"{service}.access-key-id", f"{service}.secret-access-key"]
        missing = [name for name in halves if not properties.get(name)]
        if len(missing) == 1:
            yield FieldProblem(
                f"/properties/{missing[0]}", "is missing", None, f"give {' and '.join(halves)}, or neither"
            )
