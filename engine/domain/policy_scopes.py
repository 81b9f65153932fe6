"""Which tables a policy covers: the fleet, a catalog, a namespace, a pattern of addresses, or one table.

Order of strength, weakest first: fleet, catalog, namespace (outer to inner), pattern (fewer to more literal characters,
then name), table.
"""

from enum import StrEnum


class PolicyScopeKind(StrEnum):
    """The kinds of scopes."""

    FLEET = "fleet"
    CATALOG = "catalog"
    NAMESPACE = "namespace"
    PATTERN = "pattern"
    TABLE = "table"
