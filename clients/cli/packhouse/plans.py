"""From what is declared and what is there to the steps between, in the order in which they depend on one another.

Catalogs come first, then policies of wider scopes, then tables, then tables' own policies; deletions come last and the
other way round. A step carries the version that was read, so that what somebody changes meanwhile is not overwritten.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from packhouse.addresses import split_address
from packhouse.differences import differences
from packhouse.exit_codes import ExitCode
from packhouse.inventories import FIELDS, Inventory
from packhouse.problems import CommandError
from packhouse.session import Call, Session

Document = Mapping[str, Any]
_FIXED: Final = {"catalog": "format", "policy": "scope"}


@dataclass(frozen=True, slots=True)
class Step:
    """One change: `verb` create, change or delete; `lines` say what of it; `do` sends it."""

    verb: str
    kind: str
    name: str
    lines: tuple[str, ...]
    do: Callable[[], object]

    def __str__(self) -> str:
        return f"{self.verb} {self.kind} {self.name}"


class Planner:
    """Makes the steps from what the server has to what is wanted."""

    def __init__(self, session: Session, there: Inventory, wanted: Inventory) -> None:
        self._session = session
        self._client = session.client
        self._there = there
        self._wanted = wanted

    def steps(self, *, prune: bool) -> list[Step]:
        """Return the steps; with `prune` also those that delete what is not declared.

        Raises:
            CommandError: something is declared that can't be changed.
        """
        found = [*self._catalogs(), *self._policies(), *self._tables(), *self._table_policies()]
        if prune:
            found += [*self._undeclared_policies(), *self._deletions()]
        return [step for step in found if step.verb != "change" or step.lines]

    def undeclared(self) -> list[str]:
        """Return what the server has and nobody declared."""
        keys = self._there.documents.keys() - self._wanted.documents.keys()
        return [f"{kind} {name}" for kind, name in sorted(keys)]

    def _catalogs(self) -> Iterator[Step]:
        catalogs = self._client.catalogs
        for name, wanted in self._wanted.named("catalog"):
            present = self._present("catalog", name, wanted)
            if present is None:
                lines = tuple(differences({}, wanted))
                yield Step("create", "catalog", name, lines, self._send(catalogs.create, body={"name": name, **wanted}))
                continue
            if "grants" not in wanted:  # not declared: left alone
                present = {field: value for field, value in present.items() if field != "grants"}
            lines = tuple(differences(present, wanted))
            yield Step("change", "catalog", name, lines, partial(self._change_catalog, name, present, wanted))

    def _policies(self) -> Iterator[Step]:
        policies = self._client.policies
        for name, wanted in self._wanted.named("policy"):
            present, body = self._present("policy", name, wanted), wanted.get("policy") or {}
            lines = tuple(differences(present or {}, wanted))
            if present is None:
                new = {"name": name, **wanted, "policy": body}
                yield Step("create", "policy", name, lines, self._send(policies.create, body=new))
            else:
                match = self._there.etags["policy", name]
                yield Step("change", "policy", name, lines, self._send(policies.put, name, body=body, if_match=match))

    def _tables(self) -> Iterator[Step]:
        for name, declared in self._wanted.named("table"):
            wanted, present = _registration(declared), self._there.documents.get(("table", name))
            if present is None:
                register = partial(self._register, name, wanted)
                yield Step("create", "table", name, tuple(differences({}, wanted)), register)
                continue
            before, after = present.get("labels") or {}, wanted.get("labels") or {}
            labels = {**dict.fromkeys(before.keys() - after.keys()), **after}
            body = {"owner_team": wanted.get("owner_team"), "labels": labels}
            lines = tuple(differences(_registration(present), wanted))
            yield Step("change", "table", name, lines, partial(self._patch, name, body))

    def _table_policies(self) -> Iterator[Step]:
        for name, declared in self._wanted.named("table"):
            wanted = declared.get("policy")
            if wanted is not None:
                present = self._there.documents.get(("table", name), {}).get("policy")
                lines = tuple(differences(present or {}, wanted))
                verb = "create" if present is None else "change"
                yield Step(verb, "policy of table", name, lines, partial(self._put_policy, name, wanted))

    def _undeclared_policies(self) -> Iterator[Step]:
        for name, declared in self._wanted.named("table"):
            if ("table policy", name) in self._there.etags and declared.get("policy") is None:
                yield Step("delete", "policy of table", name, (), partial(self._delete_policy, name))

    def _deletions(self) -> Iterator[Step]:
        for kind in reversed(list(FIELDS)):
            for name, _ in self._there.named(kind):
                if (kind, name) not in self._wanted.documents:
                    yield Step("delete", kind, name, (), partial(self._delete, kind, name))

    def _present(self, kind: str, name: str, wanted: Document) -> Document | None:
        present, fixed = self._there.documents.get((kind, name)), _FIXED[kind]
        if present is not None and any(differences({fixed: present[fixed]}, {fixed: wanted.get(fixed)})):
            hint = f"delete the {kind} first, or declare a new one under another name"
            raise CommandError(f"{kind} {name}: its {fixed} can't be changed", ExitCode.CONFLICT, hint)
        return present

    def _send(self, call: Call, *path: str, **given: Any) -> Callable[[], object]:
        return partial(self._session.ask, call, *path, **given)

    def _change_catalog(self, name: str, present: Document, wanted: Document) -> None:
        catalogs, match = self._client.catalogs, self._there.etags["catalog", name]
        body = {field: value for field, value in wanted.items() if field not in ("format", "grants")}
        if any(differences({**present, "grants": None}, {**wanted, "grants": None})):
            changed = self._session.ask(catalogs.replace, name, body=body, if_match=match)
            match = f'"{changed["version"]}"'
        if any(differences({"grants": present.get("grants")}, {"grants": wanted.get("grants")})):
            grants = {"grants": wanted.get("grants") or []}
            self._session.ask(catalogs.put_grants, name, body=grants, if_match=match)

    def _register(self, name: str, wanted: Document) -> None:
        catalog, namespace, last = split_address(name)
        body = {"catalog": catalog, "namespace": namespace, "name": last, **wanted}
        self._there.ids[name] = self._session.ask(self._client.tables.register, body=body)["id"]

    def _patch(self, name: str, body: Document) -> None:
        match = self._there.etags["table", name]
        self._session.ask(self._client.tables.patch, self._there.ids[name], body=body, if_match=match)

    def _delete(self, kind: str, name: str) -> None:
        match kind:
            case "table":
                self._session.answer(self._client.tables.delete, self._there.ids[name])
            case "policy":
                self._session.answer(self._client.policies.delete, name, if_match=self._there.etags[kind, name])
            case _:
                self._session.answer(self._client.catalogs.delete, name, if_match=self._there.etags[kind, name])

    def _put_policy(self, name: str, document: Document) -> None:
        match = self._there.etags.get(("table policy", name))
        condition = {"if_match": match} if match else {"if_none_match": "*"}
        self._session.ask(self._client.table_policies.put, self._there.ids[name], body=document, **condition)

    def _delete_policy(self, name: str) -> None:
        match = self._there.etags["table policy", name]
        self._session.answer(self._client.table_policies.delete, self._there.ids[name], if_match=match)


def _registration(document: Document) -> Document:
    return {name: value for name, value in document.items() if name != "policy" and value}
