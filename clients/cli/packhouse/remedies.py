"""Remedies of the server as commands of this CLI: text of the server is never parsed."""

import shlex
from collections.abc import Mapping
from typing import Final

from packhouse_client.errors import Remedy

COMMANDS: Final[Mapping[str, str]] = {
    "create_catalog": "catalogs create {name}",
    "create_key": "keys create NAME",
    "delete_table": "tables delete {table_id}",
    "discover_tables": "catalogs discover {name}",
    "get_deletion": "deletions get {run_id}",
    "list_formats": "formats",
    "list_keys": "keys list",
    "list_policies": "policy list",
    "list_presets": "presets",
    "list_runs": "runs list",
    "list_spark_endpoints": "spark list",
    "list_tables": "tables list",
    "preview_run": "run {table_id} --operation {operation} --dry-run",
    "replace_catalog_grants": "catalogs grant {name}",
    "replace_limits": "limits set",
    "replace_policy": "policy set {name}",
    "resume_catalog": "catalogs resume {name}",
    "resume_fleet": "fleet resume",
    "resume_table": "tables resume {table_id}",
    "revoke_key": "keys revoke {key_id}",
    "submit_run": "run {table_id}",
    "undo_deletion": "deletions undo {run_id}",
    "unfreeze_table": "tables unfreeze {table_id}",
}
"""The command of each operation; a value that the server does not give is written as an upper-case placeholder."""


def command(remedy: Remedy, names: Mapping[str, str] | None = None) -> str:
    """Return the command of a remedy; its request for an operation without one.

    Args:
        remedy: of a problem, or of a part of an answer.
        names: names of objects by their ids: `lake.sales.orders` is easier to recognize than the id of the table.
    """
    template = COMMANDS.get(remedy.operation_id)
    if template is None:
        return remedy.request
    known = {name: shlex.quote((names or {}).get(value, value)) for name, value in remedy.parameters.items()}
    return f"packhouse {template.format_map(_Placeholders(known))}"


class _Placeholders(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return name.upper()
