"""Compute the steps from the server's state to the declared state, in the order of dependence.

Catalogs come first, then policies of wider scopes, then tables, then tables' own policies; deletions come last, in
reverse order. A step has the version that was read, so that concurrent changes are not overwritten. The steps are also
the differences between server and files, which `drift` shows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from rich.markup import escape

from packhouse.arguments.addresses import split_address
from packhouse.declarations.inventories import CONNECTION, FIELDS, Inventory, Key
from packhouse.documents.differences import differences
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError
from packhouse.session import Call, Session

Document = Mapping[str, Any]
OF_TABLE: Final = "policy of table"
"""Kind of the steps of tables' own policies, which the tables' documents declare."""
_FIXED: Final = {"catalog": "format", "policy": "scope"}
_DELETION: Final = {"change": "delete"}


@dataclass(frozen=True, slots=True)
class Step:
    """One change: `verb` create, change or delete.

    Attributes:
        lines: the differences, one a line.
        do: sends the change.
        check: asks the server for a dry run of it, whose answer is the effect; None where the API has none.
        refusal: why the change can't be made, found without the server.
    """

    verb: str
    kind: str
    name: str
    lines: tuple[str, ...]
    do: Callable[[], object]
    check: Callable[[], Any] | None = None
    refusal: CommandError | None = None

    def __str__(self) -> str:
        return f"{self.verb} {self.kind} {self.name}"

    @property
    def key(self) -> Key:
        """Key of the document that declares the object."""
        return ("table" if self.kind == OF_TABLE else self.kind), self.name


class Prune(Enum):
    """The undeclared objects to delete: none; tables and policies of declared catalogs; all visible to the key."""

    NOTHING = auto()
    DECLARED_CATALOGS = auto()
    ALL = auto()


class Planner:
    """Computes the steps from the server's objects to the declared ones."""

    def __init__(
        self,
        session: Session,
        there: Inventory,
        wanted: Inventory,
        *,
        message: str | None = None,
        acknowledge: str | None = None,
    ) -> None:
        self._session = session
        self._client = session.client
        self._there = there
        self._wanted = wanted
        chosen = {"message": message, "acknowledge": acknowledge}
        self._given = {name: value for name, value in chosen.items() if value is not None}
        self._acknowledge = {} if acknowledge is None else {"acknowledge": acknowledge}

    def steps(self, *, prune: "Prune") -> list[Step]:
        """Return the steps; deletions of undeclared objects come last."""
        found = [*self._catalogs(), *self._policies(), *self._tables(), *self._table_policies()]
        if prune is not Prune.NOTHING:
            found += [*self._undeclared_policies(), *self._deletions(prune)]
        return [step for step in found if step.verb != "change" or step.lines]

    def undeclared(self) -> list[str]:
        """Return objects of the server that are not declared."""
        keys = self._there.documents.keys() - self._wanted.documents.keys()
        return [f"{kind} {name}" for kind, name in sorted(keys)]

    def _catalogs(self) -> Iterator[Step]:
        catalogs = self._client.catalogs
        for name, wanted in self._wanted.named("catalog"):
            present = self._there.documents.get(("catalog", name))
            if present is None:
                lines = tuple(differences({}, wanted))
                yield Step("create", "catalog", name, lines, self._send(catalogs.create, body={"name": name, **wanted}))
                continue
            hidden, undeclared = self._there.hidden[name], _undeclared(wanted)
            if unseen := sorted(hidden & wanted.keys()):
                self._session.say(f"[dim]catalog {escape(name)}: only admins see {', '.join(unseen)}: not compared[/]")
            lines = tuple(differences(*(_without(each, hidden | undeclared) for each in (present, wanted))))
            kept = {field: value for field, value in present.items() if field in undeclared}
            change = partial(self._change_catalog, name, present, {**kept, **wanted})
            yield Step("change", "catalog", name, lines, change, refusal=_refusal("catalog", name, present, wanted))

    def _policies(self) -> Iterator[Step]:
        policies = self._client.policies
        for name, wanted in self._wanted.named("policy"):
            present, body = self._there.documents.get(("policy", name)), wanted.get("policy") or {}
            lines = tuple(differences(present or {}, wanted))
            if present is None:
                new = {"name": name, **wanted, "policy": body}
                change = {"change": "create", "scope": wanted.get("scope"), "policy": body}
                check = self._send(policies.preview, name, body=change)
                yield Step("create", "policy", name, lines, self._send(policies.create, body=new, **self._given), check)
            else:
                match = self._there.etags["policy", name]
                check = self._send(policies.preview, name, body={"change": "replace", "policy": body})
                send = self._send(policies.replace, name, body=body, if_match=match, **self._given)
                refusal = _refusal("policy", name, present, wanted)
                yield Step("change", "policy", name, lines, send, check, refusal)

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
            yield Step("change", "table", name, lines, partial(self._update, name, body))

    def _table_policies(self) -> Iterator[Step]:
        for name, declared in self._wanted.named("table"):
            wanted = declared.get("policy")
            if wanted is not None:
                present = self._there.documents.get(("table", name), {}).get("policy")
                lines = tuple(differences(present or {}, wanted))
                verb = "create" if present is None else "change"
                send = partial(self._replace_policy, name, wanted)
                check = partial(self._preview_policy, name, wanted) if name in self._there.ids else None
                yield Step(verb, OF_TABLE, name, lines, send, check)

    def _undeclared_policies(self) -> Iterator[Step]:
        for name, declared in self._wanted.named("table"):
            if ("table policy", name) in self._there.etags and declared.get("policy") is None:
                lines = tuple(differences(self._there.documents["table", name]["policy"], {}))
                check = self._send(self._client.table_policies.preview, self._there.ids[name], body=_DELETION)
                yield Step("delete", OF_TABLE, name, lines, partial(self._delete_policy, name), check)

    def _deletions(self, prune: "Prune") -> Iterator[Step]:
        for kind in reversed(list(FIELDS)):
            for name, present in self._there.named(kind):
                if (kind, name) not in self._wanted.documents and (
                    prune is Prune.ALL or self._is_of_declared_catalog(kind, name)
                ):
                    is_policy, lines = kind == "policy", tuple(differences(present, {}))
                    check = self._send(self._client.policies.preview, name, body=_DELETION) if is_policy else None
                    yield Step("delete", kind, name, lines, partial(self._delete, kind, name), check)

    def _is_of_declared_catalog(self, kind: str, name: str) -> bool:
        """Return whether an object belongs to a catalog that the files declare directly or through a table."""
        catalogs = {declared for declared, _ in self._wanted.named("catalog")}
        catalogs |= {split_address(declared)[0] for declared, _ in self._wanted.named("table")}
        match kind:
            case "table":
                return split_address(name)[0] in catalogs
            case "policy":
                return self._there.documents[kind, name]["scope"].get("catalog") in catalogs
            case _:
                return False

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
            self._session.ask(catalogs.replace_grants, name, body=grants, if_match=match)

    def _register(self, name: str, wanted: Document) -> None:
        catalog, namespace, last = split_address(name)
        body = {"catalog": catalog, "namespace": namespace, "name": last, **wanted}
        self._there.ids[name] = self._session.ask(self._client.tables.register, body=body, **self._acknowledge)["id"]

    def _update(self, name: str, body: Document) -> None:
        match = self._there.etags["table", name]
        self._session.ask(
            self._client.tables.update, self._there.ids[name], body=body, if_match=match, **self._acknowledge
        )

    def _delete(self, kind: str, name: str) -> None:
        match kind:
            case "table":
                self._session.answer(self._client.tables.delete, self._there.ids[name])
            case "policy":
                given = {"if_match": self._there.etags[kind, name], **self._given}
                self._session.answer(self._client.policies.delete, name, **given)
            case _:
                self._session.answer(self._client.catalogs.delete, name, if_match=self._there.etags[kind, name])

    def _replace_policy(self, name: str, document: Document) -> None:
        match = self._there.etags.get(("table policy", name))
        condition = {"if_match": match} if match else {"if_none_match": "*"}
        given = {**condition, **self._given}
        self._session.ask(self._client.table_policies.replace, self._there.ids[name], body=document, **given)

    def _preview_policy(self, name: str, document: Document) -> Any:
        change = {"change": "replace", "policy": document}
        return self._session.ask(self._client.table_policies.preview, self._there.ids[name], body=change)

    def _delete_policy(self, name: str) -> None:
        match = self._there.etags["table policy", name]
        self._session.answer(self._client.table_policies.delete, self._there.ids[name], if_match=match, **self._given)


def _refusal(kind: str, name: str, present: Document, wanted: Document) -> CommandError | None:
    """Return why a document can't replace another one: a field that is fixed when an object is created differs."""
    fixed = _FIXED[kind]
    if not any(differences({fixed: present[fixed]}, {fixed: wanted.get(fixed)})):
        return None
    hint = f"delete the {kind} first, or declare a new one under another name"
    return CommandError(f"{kind} {name}: its {fixed} can't be changed", ExitCode.CONFLICT, hint)


def _undeclared(catalog: Document) -> frozenset[str]:
    """Return the fields of a catalog that its document leaves as they are."""
    connection = frozenset() if "properties" in catalog else CONNECTION - catalog.keys()
    return connection | ({"grants"} - catalog.keys())


def _without(document: Document, fields: frozenset[str]) -> Document:
    return {name: value for name, value in document.items() if name not in fields}


def _registration(document: Document) -> Document:
    return {name: value for name, value in document.items() if name != "policy" and value}
