"""Who may do what to whose object: cells made from `openapi.yaml`, and what each of them has to answer.

A cell is one operation, one caller and one object. Objects are a table with a live run: of the callers' own team, of a
foreign team, of no team, of a foreign team with a grant to read it. Catalogs and policies are objects too: granted to
the callers' team or covering a table of theirs, and neither. Operations without an object have one kind of cell.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from engine.domain.access.callers import Role

SPEC = Path(__file__).parents[2] / "openapi.yaml"
OWN_TEAM, FOREIGN_TEAM = "red", "blue"
METHODS = ("get", "put", "post", "patch", "delete")
_PARAMETER = re.compile(r"{(\w+)}")
Document = Mapping[str, Any]


class Kind(StrEnum):
    """Whose object a request names."""

    NONE = "no object"
    OWN = "own"
    FOREIGN = "foreign"
    UNOWNED = "unowned"
    READABLE = "readable"


TEAM_OF: Mapping[Kind, str | None] = {
    Kind.OWN: OWN_TEAM,
    Kind.FOREIGN: FOREIGN_TEAM,
    Kind.UNOWNED: None,
    Kind.READABLE: FOREIGN_TEAM,
}
READS = frozenset({"plan_table"})
"""Operations that only read, besides those of the method GET."""
COLLECTIONS = ("/v1/catalogs/{name}", "/v1/policies/{name}", "/v1/webhooks/{webhook_id}")
"""Paths of objects that exist for a caller by grants, by the tables that they cover, or by their teams."""
OBJECT_PARAMETERS = frozenset({"table_id", "run_id"})
"""Path parameters and body fields that name an object of a team."""
BY_NAME = frozenset({"report_metrics"})
"""Operations whose path has the names of catalog, namespace and table."""
TEAM_IN_BODY = frozenset({"register_table"})
"""Operations that give a new object to the team that the body names; a foreign team is 403: no object is named yet."""

POLICY_WRITES = frozenset({"create_policy", "replace_policy", "delete_policy", "restore_policy", "preview_policy"})
"""Owners write scoped policies of their own teams; those of the cells cover other tables as well."""
NAMES_EVERY_TEAM = frozenset({"get_metrics"})
"""Without a key nothing is named; a key has to be one of every team."""


@cache
def spec() -> Document:
    """Return the API's description as committed."""
    document: Document = yaml.load(SPEC.read_text(), Loader=yaml.CSafeLoader)
    return document


@dataclass(frozen=True)
class Operation:
    """One operation of the description: `query` are its required query parameters, `statuses` the declared ones."""

    id: str
    method: str
    path: str
    role: Role | None
    parameters: frozenset[str]
    query: frozenset[str]
    takes_if_match: bool
    statuses: frozenset[str]
    body: Any = field(hash=False, default=None)

    @property
    def names_object(self) -> bool:
        """True when a request names a table or a run, or gives one to a team."""
        in_body = set(self.body) if isinstance(self.body, dict) else set()
        return bool(OBJECT_PARAMETERS & (self.parameters | in_body)) or self.id in TEAM_IN_BODY | BY_NAME

    @property
    def names_granted(self) -> bool:
        """True when the path names a catalog, a policy or a webhook."""
        return self.path.startswith(COLLECTIONS)

    @property
    def changes(self) -> bool:
        """True when a right to read is not enough."""
        return self.method != "GET" and self.id not in READS

    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of objects that its cells have."""
        if self.names_granted:
            return (Kind.OWN, Kind.FOREIGN)
        if self.id in TEAM_IN_BODY:
            return (Kind.OWN, Kind.FOREIGN, Kind.UNOWNED)
        return (Kind.OWN, Kind.FOREIGN, Kind.UNOWNED, Kind.READABLE) if self.names_object else (Kind.NONE,)


def operations() -> Iterator[Operation]:
    """Yield every operation of the description."""
    for path, item in spec()["paths"].items():
        for method in METHODS:
            if method in item:
                yield _operation(path, method, item[method])


def expected(operation: Operation, role: Role | None, kind: Kind) -> str:
    """Return what a cell has to be: 401, 403, 404 or `allowed`; `role` None is a caller without a key.

    Callers below admin are of the own team only.
    """
    if operation.role is None:
        return "403" if operation.id in NAMES_EVERY_TEAM and role not in (None, Role.ADMIN) else "allowed"
    if role is None:
        return "401"
    if not role.includes(operation.role):
        return "403"
    if role is Role.ADMIN:
        return "allowed"
    if kind in (Kind.FOREIGN, Kind.UNOWNED):
        return "403" if operation.id in TEAM_IN_BODY else "404"
    is_of_others = operation.id in POLICY_WRITES or (kind is Kind.READABLE and operation.changes)
    return "403" if is_of_others else "allowed"


def verdict(status: int) -> str:
    """Return what an answer says of a caller's rights."""
    return str(status) if status in (401, 403, 404) else "allowed"


def filled(path: str, values: Mapping[str, str]) -> str:
    """Return a path with its parameters; KeyError names one that nobody gave a value.

    A parameter is looked up after its collection (`catalogs/{name}`), then by its own name.
    """

    def value(match: re.Match[str]) -> str:
        collection, name = match[1], match[2]
        return f"{collection}/{values.get(f'{collection}/{{{name}}}') or values[name]}"

    return re.sub(r"([\w-]+)/{(\w+)}", value, path)


def example_body(operation: Operation, values: Mapping[str, Any]) -> Any:
    """Return the operation's example body with some fields set, if it has them."""
    body = copy.deepcopy(operation.body)
    if isinstance(body, dict):
        body.update({name: value for name, value in values.items() if name in body})
    return body


def _operation(path: str, method: str, item: Document) -> Operation:
    role = item.get("x-packhouse-role")
    return Operation(
        id=item["operationId"],
        method=method.upper(),
        path=path,
        role=None if role is None else Role(role),
        parameters=frozenset(_PARAMETER.findall(path)),
        query=frozenset(p["name"] for p in item.get("parameters", ()) if p["in"] == "query" and p.get("required")),
        takes_if_match=any(parameter["name"].lower() == "if-match" for parameter in item.get("parameters", ())),
        statuses=frozenset(item["responses"]),
        body=_example(item),
    )


def _example(item: Document) -> Any:
    """Return the first example of a request body, None where there is no body or it may be left out."""
    if "requestBody" not in item:
        return None
    schema = item["requestBody"]["content"]["application/json"]["schema"]
    if "examples" not in schema:
        schema = schema.get("anyOf", schema.get("oneOf", [schema]))[0]
    if "$ref" in schema:
        schema = spec()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema["examples"][0] if "examples" in schema else None
