"""What a policy is of: a table (its id or address), or a wider scope (the policy's name, which has no dots)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packhouse_client.errors import NotFound
from packhouse_client.resources import Policies, TablePolicies
from packhouse_client.senders import Answer, Sender

from packhouse.addresses import table_id
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError
from packhouse.session import Session


@dataclass(frozen=True, slots=True)
class Target:
    """One policy that is, or is to be: `name` as people wrote it, `identity` as the API has it."""

    name: str
    identity: str
    calls: Policies[Sender] | TablePolicies[Sender]

    @staticmethod
    def of(session: Session, name: str) -> "Target":
        """Return the target of a word."""
        if "." in name or name.startswith("tbl_"):
            return Target(name, table_id(session, name), session.client.table_policies)
        return Target(name, name, session.client.policies)

    @property
    def is_table(self) -> bool:
        """True when it is a table's own policy."""
        return isinstance(self.calls, TablePolicies)

    def present(self, session: Session) -> Answer | None:
        """Return the stored policy, None when there is none."""
        try:
            return session.answer(self.calls.get, self.identity)
        except NotFound:
            return None


def scope_of(words: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the scope that options name: `fleet`, `catalog`, `namespace` (catalog.a.b) or `pattern`.

    Raises:
        CommandError: not exactly one is given, or a namespace without its catalog.
    """
    given = {kind: value for kind, value in words.items() if value}
    if len(given) != 1:
        hint = "give one of --fleet, --catalog, --namespace, --pattern: a scope is chosen at creation and stays"
        raise CommandError("a new policy needs a scope", ExitCode.USAGE, hint)
    ((kind, value),) = given.items()
    match kind:
        case "fleet":
            return {"kind": "fleet"}
        case "namespace":
            catalog, *levels = value.split(".")
            if not levels or not all((catalog, *levels)):
                hint = f"write the catalog, too: --namespace CATALOG.{value}"
                raise CommandError(f"{value!r} is no namespace of a catalog", ExitCode.USAGE, hint)
            return {"kind": kind, "catalog": catalog, "namespace": levels}
        case _:
            return {"kind": kind, kind: value}
