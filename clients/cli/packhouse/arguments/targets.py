"""The target of a policy command: a table (by id or address), or a wider scope.

A wider scope is named by its policy's name, which has no dots and no colons, or as `team:NAME` or `label:KEY=VALUE`,
which have at most one policy each.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packhouse_client.errors import NotFound
from packhouse_client.resources import Policies, TablePolicies
from packhouse_client.senders import Answer, Sender

from packhouse.arguments.addresses import table_id
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError
from packhouse.session import Session


@dataclass(frozen=True, slots=True)
class Target:
    """One existing or new policy: `name` as typed, `identity` in the API.

    `scope`: the scope that the word itself names, None if a new policy needs an option for it.
    """

    name: str
    identity: str
    calls: Policies[Sender] | TablePolicies[Sender]
    scope: Mapping[str, Any] | None = None

    @staticmethod
    def of(session: Session, name: str) -> "Target":
        """Return the target that a word names.

        Raises:
            CommandError: a label without key or `=`, or an empty team.
        """
        kind, colon, rest = name.partition(":")
        if colon and kind in ("team", "label"):
            return _of_scope(session, name, scope_of({kind: rest}))
        if "." in name or name.startswith("tbl_"):
            return Target(name, table_id(session, name), session.client.table_policies)
        return Target(name, name, session.client.policies)

    @property
    def is_table(self) -> bool:
        """Whether it is a table's own policy."""
        return isinstance(self.calls, TablePolicies)

    def present(self, session: Session) -> Answer | None:
        """Return the stored policy, None when there is none."""
        try:
            return session.answer(self.calls.get, self.identity)
        except NotFound:
            return None


def scope_of(words: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the scope that options name.

    Args:
        words: by kind: `fleet`, `team`, `catalog`, `namespace` (catalog.a.b), `pattern` or `label` (key=value).

    Raises:
        CommandError: not exactly one is given, a namespace without its catalog, or a label without key or `=`.
    """
    given = {kind: value for kind, value in words.items() if value}
    if len(given) != 1:
        hint = (
            "give one of --fleet, --team, --catalog, --namespace, --pattern, --label: a scope is chosen at creation "
            "and stays"
        )
        raise CommandError("a new policy needs a scope", ExitCode.USAGE, hint)
    ((kind, value),) = given.items()
    match kind:
        case "fleet":
            return {"kind": "fleet"}
        case "namespace":
            catalog, *levels = value.split(".")
            if not levels or not all((catalog, *levels)):
                hint = f"write the catalog, too: --namespace CATALOG.{value}"
                raise CommandError(f"{value!r} is not a namespace of a catalog", ExitCode.USAGE, hint)
            return {"kind": kind, "catalog": catalog, "namespace": levels}
        case "label":
            key, equals, of_key = value.partition("=")
            if not key or not equals:
                raise CommandError(
                    f"{value!r} is not a label", ExitCode.USAGE, "write label:KEY=VALUE or --label KEY=VALUE"
                )
            return {"kind": kind, "key": key, "value": of_key}
        case _:
            return {"kind": kind, kind: value}


def _of_scope(session: Session, name: str, scope: Mapping[str, Any]) -> Target:
    """Return the policy of a team or a label; a new one gets a derived name."""
    policies = session.client.policies
    is_team = scope["kind"] == "team"
    wanted = {"scope_team": scope["team"]} if is_team else {"scope_label": f"{scope['key']}:{scope['value']}"}
    found = list(session.pages(policies.list, limit=1, **wanted))
    return Target(name, found[0]["name"] if found else name_for(scope), policies, scope)


def name_for(scope: Mapping[str, Any]) -> str:
    """Return the name of a new policy of a team or a label: readable, and unique for each scope."""
    words = [str(scope[field]) for field in ("kind", "team", "key", "value") if field in scope]
    plain = "-".join(words)
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", plain) and not any("-" in word for word in words):
        return plain
    mark = hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub('[^A-Za-z0-9_]+', '-', plain)[:50].strip('-')}-{mark}"
