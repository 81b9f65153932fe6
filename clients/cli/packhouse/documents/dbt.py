"""The tables that a dbt command wrote, from the artefacts in its target folder: `run_results.json`, `manifest.json`.

Read are results with the status `success` of models, seeds and snapshots that dbt keeps as tables, of any adapter: the
names of database, schema and table are fields of the manifest. The artefacts are untrusted: their sizes are limited,
and the type of each field that is read is checked.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from packhouse.documents.files import text_of
from packhouse.exit_codes import ExitCode
from packhouse.problems import CommandError

MOST_BYTES: Final = 256 * 2**20
"""Most bytes of an artefact; a manifest of ten thousand models has about a hundred MB."""

_VERSIONS: Final[Mapping[str, frozenset[int]]] = {"run-results": frozenset({6}), "manifest": frozenset({12})}
"""Versions of the schemas since dbt 1.8, which the tests read."""

_SCHEMA: Final = re.compile(r"https://schemas\.getdbt\.com/dbt/([a-z-]+)/v([0-9]{1,4})\.json")
_WRITTEN: Final = frozenset({"success", "partial success"})
_TABLES: Final = frozenset({"model", "seed", "snapshot"})
_NOT_TABLES: Final = frozenset({"view", "ephemeral", "materialized_view"})
_KINDS: Final = {list: "a list", dict: "an object"}
_LONGEST_NAME: Final = 1_000


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table that a dbt command wrote; `database` is empty with adapters that have none.

    `invocation` is dbt's id of the command.
    """

    unique_id: str
    database: str
    schema: str
    name: str
    invocation: str

    def key(self, address: str) -> str:
        """Return an idempotency key: the same whenever the same artefacts are read, so that each write is sent once."""
        return f"dbt-{hashlib.sha256(f'{self.invocation} {self.unique_id} {address}'.encode()).hexdigest()}"


def written_tables(target: Path) -> list[WrittenTable]:
    """Return the tables that the last dbt command wrote, in the order of its results.

    Raises:
        CommandError: an artefact is missing, too large, not JSON, of another version, or a field has a wrong type.
    """
    return list(_written(_artefact(target, "run-results"), _artefact(target, "manifest")))


def _written(results: "_Document", manifest: "_Document") -> Iterator[WrittenTable]:
    invocation, nodes = _text(results, "metadata.invocation_id"), manifest.field("nodes", dict)
    for number in range(len(results.field("results", list))):
        if _text(results, f"results.{number}.status") not in _WRITTEN:
            continue
        identity = _text(results, f"results.{number}.unique_id")
        if identity.partition(".")[0] not in _TABLES:
            continue
        node = _Document(manifest.path, nodes.get(identity), f"nodes.{identity}")
        if node.field("config.materialized", str) in _NOT_TABLES:
            continue
        database = _text(node, "database") if node.field("database", str | None) else ""
        yield WrittenTable(identity, database, _text(node, "schema"), _text(node, "alias"), invocation)


@dataclass(frozen=True, slots=True)
class _Document:
    """A part of an artefact, with its file and place for messages."""

    path: Path
    value: Any
    place: str = ""

    def field(self, name: str, kind: Any) -> Any:
        """Return a field by its dotted name.

        Raises:
            CommandError: it is missing or of another type.
        """
        found = self.value
        for part in name.split("."):
            if isinstance(found, list):
                found = found[int(part)]
            else:
                found = found.get(part) if isinstance(found, dict) else None
        if not isinstance(found, kind):
            raise self.error(name, f"{_shown(found)} where {_KINDS.get(kind, 'text')} is expected")
        return found

    def error(self, name: str, problem: str) -> CommandError:
        """Return an error that names the file and the field."""
        place = ".".join(filter(None, [self.place, name]))
        hint = "give the target folder of one dbt command: run_results.json and manifest.json belong together"
        return CommandError(f"{self.path}: {place}: {problem}", ExitCode.USAGE, hint)


def _artefact(target: Path, kind: str) -> _Document:
    path = target / f"{kind.replace('-', '_')}.json"
    if not path.exists():
        hint = "give the folder in which dbt wrote its artefacts, `target` by default, after `dbt run` or `dbt build`"
        raise CommandError(f"{path} does not exist", ExitCode.USAGE, hint)
    try:
        document = _Document(path, json.loads(text_of(path, most_bytes=MOST_BYTES)))
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not JSON: {str(error)[:200]}", ExitCode.USAGE) from None
    schema = document.field("metadata.dbt_schema_version", str)
    match = _SCHEMA.fullmatch(schema)
    if match is None or match[1] != kind or int(match[2]) not in _VERSIONS[kind]:
        known = " or ".join(f"{kind}/v{version}.json" for version in sorted(_VERSIONS[kind]))
        raise document.error("metadata.dbt_schema_version", f"{_shown(schema)} is not known; {known} is")
    return document


def _text(document: _Document, name: str) -> str:
    found: str = document.field(name, str)
    if not 0 < len(found) <= _LONGEST_NAME or not found.isprintable():
        raise document.error(name, f"{_shown(found)} is not a name")
    return found


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)[:80]
