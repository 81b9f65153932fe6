"""Policies on the wire. The document itself is the domain's: one definition of every setting."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, PlainSerializer

from api.listing.pagination import Page
from api.schemas.common import Answer, Instant, JsonObject, LabelKey, LabelValue, Listed, OwnerTeam, PageToken, Request
from engine.domain.policies import Difference, PolicyDocument, PolicyScope, PolicyScopeKind, StoredPolicy
from engine.domain.policies.effective.scopes import MAX_PATTERN
from engine.domain.values.strict import UNSEEN, Whole
from engine.services.catalogs.names import CATALOG_NAME
from engine.services.policies.effective import settings_document
from engine.services.policies.history import ComparedVersion
from engine.services.policies.of_tables import ShownPolicy
from engine.services.policies.writes import Written

EXAMPLE: JsonObject = {
    "rewrite": {"target_file_bytes": "128MiB"},
    "limits": {"bandwidth": "50MB", "parallel_groups": 2},
}
_STORED: JsonObject = {
    "rewrite": {"target_file_bytes": 134217728},
    "limits": {"bandwidth": 50000000, "parallel_groups": 2},
}
_SCOPE: JsonObject = {"kind": "namespace", "catalog": "lake", "namespace": ["sales"]}
_NAMED: JsonObject = {"name": "sales", "scope": _SCOPE}
_CREATE: JsonObject = _NAMED | {"policy": EXAMPLE}
_WRITTEN: JsonObject = {
    "version": 3,
    "updated_at": "2026-11-01T09:30:00Z",
    "updated_by": "key:admin",
    "message": "smaller files for the dashboards",
}
_DOCUMENTS: JsonObject = {"policy": _STORED, "written": EXAMPLE, "notes": []}
_OF_TABLE: JsonObject = {"table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"}

Policy = Annotated[
    PolicyDocument,
    # a lambda: a return type would take the place of the document's own schema
    PlainSerializer(lambda document: document.model_dump(mode="json", exclude_none=True)),
    Field(description="The fields that are set, all others are inherited. Sizes are bytes, rates bytes per second."),
]
AsGiven = Annotated[
    PolicyDocument,
    PlainSerializer(lambda document: document.as_given()),
    Field(description="The same fields with sizes and times in the units in which they were written."),
]
Version = Annotated[int, Field(description="Grows with each write, deletions too; the ETag is this in quotes.")]
Message = Annotated[
    str | None,
    Field(
        description="Reason for this version as its author gave it; null without one.",
        examples=["smaller files for the dashboards"],
    ),
]
Notes = Annotated[
    list[str],
    Field(description="Notes for its author, such as checks that were not made."),
]
_Catalog = Annotated[
    str, Field(min_length=1, max_length=64, examples=["lake"], json_schema_extra={"pattern": CATALOG_NAME})
]
NamespaceLevel = Annotated[str, Field(min_length=1, max_length=255)]


class FleetScope(Request):
    """Every table."""

    kind: Literal["fleet"]


class TeamScope(Request):
    """Every table that a team owns."""

    kind: Literal["team"]
    team: OwnerTeam = Field(description="The `owner_team` of the tables.", examples=["growth"])


class LabelScope(Request):
    """Every table that has a label."""

    kind: Literal["label"]
    key: LabelKey = Field(
        description="The label's key; it has no colon.",
        examples=["tier"],
        json_schema_extra={"pattern": f"^[^:{UNSEEN}]+$"},
    )
    value: LabelValue = Field(description="The label's value; an empty one is a value, too.", examples=["gold"])


class CatalogScope(Request):
    """Every table of a catalog."""

    kind: Literal["catalog"]
    catalog: _Catalog


class NamespaceScope(Request):
    """Every table of a namespace and of those inside it."""

    kind: Literal["namespace"]
    catalog: _Catalog
    namespace: list[NamespaceLevel] = Field(
        description="Levels, outer first.", min_length=1, max_length=16, examples=[["sales"]]
    )


class PatternScope(Request):
    """Every table whose dotted address fits."""

    kind: Literal["pattern"]
    pattern: str = Field(
        description="Over `catalog.namespace.name`: `*` any characters, dots too; `?` one character.",
        min_length=1,
        max_length=MAX_PATTERN,
        examples=["lake.*.events_*"],
    )


Scope = Annotated[
    FleetScope | TeamScope | CatalogScope | NamespaceScope | PatternScope | LabelScope,
    Field(discriminator="kind", description="Tables that it covers; fixed at creation.", examples=[_SCOPE]),
]


def scope_to_domain(scope: Scope) -> PolicyScope:
    """Return the domain's scope."""
    if isinstance(scope, LabelScope):
        return PolicyScope(PolicyScopeKind.LABEL, label_key=scope.key, label_value=scope.value)
    fields = scope.model_dump(exclude={"kind"})
    if "namespace" in fields:
        fields["namespace"] = tuple(fields["namespace"])
    return PolicyScope(PolicyScopeKind(scope.kind), **fields)


def scope_from_domain(scope: PolicyScope) -> Scope:
    """Return the wire form of a scope that is not a table."""
    match scope.kind:
        case PolicyScopeKind.CATALOG:
            return CatalogScope(kind="catalog", catalog=scope.catalog or "")
        case PolicyScopeKind.NAMESPACE:
            return NamespaceScope(kind="namespace", catalog=scope.catalog or "", namespace=list(scope.namespace or ()))
        case PolicyScopeKind.PATTERN:
            return PatternScope(kind="pattern", pattern=scope.pattern or "")
        case PolicyScopeKind.TEAM:
            return TeamScope(kind="team", team=scope.team or "")
        case PolicyScopeKind.LABEL:
            return LabelScope(kind="label", key=scope.label_key or "", value=scope.label_value or "")
        case _:
            return FleetScope(kind="fleet")


class TablePolicy(Answer):
    """A table's own policy as stored."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OF_TABLE | _WRITTEN | _DOCUMENTS]})

    table_id: str
    version: Version
    updated_at: Instant
    updated_by: str
    message: Message
    policy: Policy
    written: AsGiven
    notes: Notes

    @classmethod
    def from_domain(cls, written: Written) -> Self:
        """Return the wire form."""
        stored = written.policy
        return cls(
            table_id=stored.name,
            version=stored.version,
            updated_at=stored.updated_at,
            updated_by=stored.updated_by,
            message=stored.message,
            policy=stored.document,
            written=stored.document,
            notes=list(written.notes),
        )


class PolicyCreate(Request):
    """A policy to create for more than one table."""

    model_config = ConfigDict(json_schema_extra={"examples": [_CREATE]})

    name: str = Field(
        description="1 to 64 letters, digits, `_` or `-`; not beginning with `tbl_`.",
        examples=["sales"],
        json_schema_extra={"pattern": CATALOG_NAME, "not": {"pattern": "^tbl_"}},
    )
    scope: Scope
    policy: PolicyDocument = Field(default=PolicyDocument(), description="The fields to set.")


class ScopedPolicy(Answer):
    """A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored."""

    model_config = ConfigDict(json_schema_extra={"examples": [_NAMED | _WRITTEN | _DOCUMENTS]})

    name: str
    scope: Scope
    version: Version
    updated_at: Instant
    updated_by: str
    message: Message
    policy: Policy
    written: AsGiven
    notes: Notes

    @classmethod
    def from_domain(cls, written: Written) -> Self:
        """Return the wire form."""
        stored = written.policy
        return cls(
            name=stored.name,
            scope=scope_from_domain(stored.scope),
            version=stored.version,
            updated_at=stored.updated_at,
            updated_by=stored.updated_by,
            message=stored.message,
            policy=stored.document,
            written=stored.document,
            notes=list(written.notes),
        )


class ScopedPolicyList(Answer):
    """Policies by name."""

    items: list[ScopedPolicy]
    next_page_token: PageToken

    @classmethod
    def of(cls, page: Page[StoredPolicy]) -> Self:
        """Return the wire form of a page; a single policy is shown with its notes."""
        items = [ScopedPolicy.from_domain(Written(item, ())) for item in page.items]
        return cls(items=items, next_page_token=page.next_page_token)


class LeafChange(Answer):
    """One setting that a version changed."""

    setting: str = Field(description="Dotted name.", examples=["rewrite.target_file_bytes"])
    before: Any = Field(description="Null: it was not set.")
    after: Any = Field(description="Null: it is not set any more.")

    @classmethod
    def of(cls, changes: Sequence[Difference]) -> list[Self]:
        """Return the wire form."""
        return [cls(setting=each.name, before=each.before, after=each.after) for each in changes]


class PolicyVersion(Answer):
    """One write of a policy: author, time, message, its settings, and its changes from the version before."""

    version: Version
    written_at: Instant
    written_by: str
    is_deletion: bool
    message: Message
    policy: Policy
    changes: list[LeafChange]

    @classmethod
    def from_domain(cls, compared: ComparedVersion) -> Self:
        """Return the wire form."""
        version = compared.version
        return cls(
            version=version.version,
            written_at=version.written_at,
            written_by=version.written_by,
            is_deletion=version.is_deletion,
            message=version.message,
            policy=version.document,
            changes=LeafChange.of(compared.changes),
        )


class PolicyVersionList(Listed[PolicyVersion, ComparedVersion]):
    """Versions, newest first."""


class PolicyRestore(Request):
    """The version to restore."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"version": 2}]})

    version: Whole = Field(ge=1, le=10**9, description="No deletion.")


class Setting(Answer):
    """One effective setting."""

    value: Any = Field(description="Bytes, a count, a share, a duration such as `6h`, or a word, as in the policy.")
    origin: str = Field(
        description="`default`, `table property`, `preset …`, `fleet`, `team …`, `catalog …`, `namespace …`, "
        "`pattern …`, `label …`, `table`, or `derived` from the target.",
        examples=["namespace lake.sales"],
    )


class EffectivePolicy(Answer):
    """Every setting that holds for a table, by dotted name, with where it came from."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    **_OF_TABLE,
                    "settings": {
                        "rewrite.target_file_bytes": {
                            "value": 134217728,
                            "origin": "default",
                        }
                    },
                    "notes": [],
                }
            ]
        }
    )

    table_id: str
    settings: dict[str, Setting]
    notes: list[str] = Field(description="Notes on missing parts, such as properties that can't be read now.")

    @classmethod
    def from_domain(cls, table_id: str, shown: ShownPolicy) -> Self:
        """Return the wire form."""
        settings = {name: Setting(**setting) for name, setting in settings_document(shown.policy).items()}
        return cls(table_id=table_id, settings=settings, notes=list(shown.notes))
