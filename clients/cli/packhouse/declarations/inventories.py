"""All catalogs, policies and tables as documents, read from a folder of YAML files or from the server.

    catalogs/lake.yaml                 kind: catalog   name, format, properties, allowed_locations, outside_files,
                                                       grants
    policies/sales.yaml                kind: policy    name, scope, policy
    tables/lake/lake.sales.orders.yaml kind: table     name (its address), owner_team, labels, policy

Grants that a catalog's document does not declare are not changed; `grants: []` revokes all. What only admins see of a
catalog is left out for other callers; a document without `properties`, as they export it, leaves the connection alone.

A document contains its kind, so files may be named and ordered in any way. Properties that are secrets are references
in both (`env:NAME`, `file:/path`); they are never resolved here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml
from packhouse_client.errors import NotFound

from packhouse.arguments.addresses import address_of, split_address
from packhouse.documents import yaml_reading
from packhouse.documents.files import texts_below
from packhouse.documents.reading import written
from packhouse.exit_codes import ExitCode
from packhouse.output import as_yaml
from packhouse.problems import CommandError
from packhouse.session import Session, etag_of

Document = Mapping[str, Any]
Key = tuple[str, str]
FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "catalog": frozenset({"format", "properties", "allowed_locations", "outside_files", "grants"}),
    "policy": frozenset({"scope", "policy"}),
    "table": frozenset({"owner_team", "labels", "policy"}),
}
"""The fields of each kind in addition to `kind` and `name`; kinds are in the order of dependence."""
CONNECTION: Final = frozenset({"properties", "allowed_locations"})
OF_ADMINS: Final = CONNECTION | {"grants"}
"""Fields of a catalog that only admins see, of the grants all."""
_MAPPINGS: Final = frozenset({"labels", "policy", "properties", "scope"})
_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})
_ALL: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """The file of a declared object, and its node of the YAML."""

    path: Path
    node: yaml.Node

    def at(self, pointer: str = "") -> str:
        """Return file and line of the value at a JSON pointer, or of the last value on the way that is there."""
        names = [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]
        return f"{self.path}:{yaml_reading.line_of(self.node, names)}"


@dataclass(slots=True)
class Inventory:
    """Documents by kind and name.

    From a folder also the file of each. From a server also tables' ids, the ETags of versioned objects, and by catalog
    which fields the caller may not see.
    """

    documents: dict[Key, Document] = field(default_factory=dict)
    sources: dict[Key, Source] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    etags: dict[Key, str] = field(default_factory=dict)
    hidden: dict[str, frozenset[str]] = field(default_factory=dict)

    def named(self, kind: str) -> Iterator[tuple[str, Document]]:
        """Yield name and document of each object of a kind, by name."""
        for (found, name), document in sorted(self.documents.items(), key=lambda item: item[0]):
            if found == kind:
                yield name, document


def of_server(session: Session) -> Inventory:
    """Read everything that the caller may see."""
    client, found = session.client, Inventory()
    for catalog in session.pages(client.catalogs.list, limit=_ALL):
        key = ("catalog", catalog["name"])
        found.hidden[catalog["name"]] = OF_ADMINS if catalog["properties"] is None else frozenset()
        found.documents[key] = _only(catalog, FIELDS["catalog"] - found.hidden[catalog["name"]])
        found.etags[key] = f'"{catalog["version"]}"'
    for policy in session.pages(client.policies.list, limit=_ALL):
        key = ("policy", policy["name"])
        found.documents[key] = _only({**policy, "policy": written(policy)}, FIELDS["policy"])
        found.etags[key] = f'"{policy["version"]}"'
    for table in session.pages(client.tables.list, limit=_ALL):
        key = ("table", address_of(table))
        document = _only(table, FIELDS["table"])
        found.ids[key[1]] = table["id"]
        found.etags[key] = f'"{table["version"]}"'
        try:
            own = session.answer(client.table_policies.get, table["id"])
        except NotFound:
            pass
        else:
            document["policy"] = written(own.document)
            found.etags["table policy", key[1]] = etag_of(own)
        found.documents[key] = document
    return found


def of_folder(folder: Path) -> Inventory:
    """Read every YAML or JSON file below a folder; a file may hold several documents.

    Raises:
        CommandError: the folder does not exist or can't be read, it has links or files that are not regular, or a
            document is not valid; the message names the file.
    """
    if not folder.is_dir():
        raise CommandError(f"{folder} is not a folder", ExitCode.USAGE, "make one with `packhouse export -f`")
    found = Inventory()
    for path, text in texts_below(folder, _SUFFIXES):
        for document, source in _read(path, text):
            key = _key(source, document)
            if key in found.documents:
                first = found.sources[key].at("/name")
                raise CommandError(
                    f"{source.at('/name')}: {key[0]} {key[1]} is declared twice, first at {first}", ExitCode.USAGE
                )
            found.sources[key] = source
            found.documents[key] = {name: value for name, value in document.items() if name not in ("kind", "name")}
    return found


def write(inventory: Inventory, folder: Path) -> list[Path]:
    """Write one file for each object; return the paths. Files of deleted objects are kept."""
    paths = []
    for (kind, name), document in sorted(inventory.documents.items(), key=lambda item: item[0]):
        path = folder / _place(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_yaml({"kind": kind, "name": name, **document}) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def _place(kind: str, name: str) -> Path:
    match kind:
        case "catalog":
            return Path("catalogs", f"{name}.yaml")
        case "policy":
            return Path("policies", f"{name}.yaml")
        case _:
            return Path("tables", split_address(name)[0], f"{name}.yaml".replace("/", "%2F"))


def _read(path: Path, text: str) -> Iterator[tuple[dict[str, Any], Source]]:
    try:
        documents = yaml_reading.load_all(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        raise CommandError(f"{path}{line} can't be read: {error}", ExitCode.USAGE) from None
    for document, node in documents:
        if document is None:
            continue
        source = Source(path, node)
        if not isinstance(document, dict):
            raise CommandError(f"{source.at()} holds no mapping", ExitCode.USAGE, "write kind, name and fields")
        yield document, source


def _key(source: Source, document: Document) -> Key:
    kind, name = document.get("kind"), document.get("name")
    if not isinstance(kind, str) or kind not in FIELDS or not isinstance(name, str):
        kinds = ", ".join(FIELDS)
        message = f"{source.at('/kind')}: a document needs `kind` (one of {kinds}) and `name`"
        raise CommandError(message, ExitCode.USAGE)
    unknown = sorted(document.keys() - FIELDS[kind] - {"kind", "name"}, key=str)
    if unknown:
        known = ", ".join(sorted(FIELDS[kind]))
        message = f"{source.at(f'/{unknown[0]}')}: a {kind} has no {', '.join(map(str, unknown))}"
        raise CommandError(message, ExitCode.USAGE, f"it has {known}")
    for field_name in sorted(_MAPPINGS & document.keys()):
        if not isinstance(document[field_name], dict | None):
            message = f"{source.at(f'/{field_name}')}: {field_name} is not a mapping"
            raise CommandError(message, ExitCode.USAGE, "write fields such as `enabled: true`")
    if kind == "table":
        try:
            split_address(name)
        except CommandError as error:
            raise CommandError(f"{source.at('/name')}: {error.message}", error.code, error.hint) from None
    return kind, name


def _only(document: Document, names: frozenset[str]) -> dict[str, Any]:
    return {name: document[name] for name in sorted(names) if document.get(name) not in (None, {}, [])}
