"""Writes the generated files of the chart: `python deploy/helm/generate.py`; `--check` fails if one differs instead.

`values.schema.json` is `values.schema.yaml` with the settings of the engine as `config`, and with every object closed,
so that Helm refuses a misspelt value. Rules and dashboards are copies of those in deploy/, as Helm reads no other file.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from engine.domain.values.units import WRITTEN_DURATION
from engine.settings.model import Settings
from engine.settings.reading import is_secret

HERE: Final = Path(__file__).parent
CHART: Final = HERE / "packhouse"
OF_THE_CHART: Final = frozenset(
    {"data_dir", "host", "port", "tasks_host", "tasks_port", "pace_url", "metrics_port", "revision", "spark_cores"}
)
"""Settings that the templates and the image set, and that of an embedded Spark."""

_DURATION: Final = {"type": "string", "pattern": WRITTEN_DURATION}


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` compare them; return the exit status."""
    files = {CHART / "values.schema.json": schema_text(), **_copies()}
    if "--check" not in arguments:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        sys.stderr.write(f"{path} differs: run `python deploy/helm/generate.py`\n")
    return 1 if stale else 0


def schema_text() -> str:
    """Return the schema of the chart's values."""
    schema = yaml.safe_load((HERE / "values.schema.yaml").read_text(encoding="utf-8"))
    schema["properties"]["config"] = _config()
    return json.dumps(_closed(schema), indent=2) + "\n"


def _copies() -> dict[Path, str]:
    deploy, files = HERE.parent, CHART / "files"
    originals = {
        files / "packhouse.rules.yml": deploy / "prometheus/packhouse.rules.yml",
        **{files / "dashboards" / path.name: path for path in sorted((deploy / "grafana").glob("*.json"))},
    }
    return {copy: original.read_text(encoding="utf-8") for copy, original in originals.items()}


def _config() -> dict[str, Any]:
    """Return the schema of the settings that a user of the chart can set."""
    described = Settings.model_json_schema()
    names = [name for name in Settings.model_fields if name not in OF_THE_CHART and not is_secret(name)]
    return {
        "type": "object",
        "description": "Settings by their names in lower case, without PACKHOUSE_: docs/reference/settings.md.",
        "properties": {name: _setting(name, described["properties"][name], described["$defs"]) for name in names},
    }


def _setting(name: str, given: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one setting. Durations may be text, but for the one that the chart calculates with."""
    inlined = _inlined({key: value for key, value in given.items() if key not in _DROPPED}, definitions)
    if name.endswith("_seconds") and name != "drain_seconds":
        inlined = {"anyOf": [inlined, _DURATION]}
    return {"description": given["description"], **inlined}


_DROPPED: Final = ("title", "description", "default", "unset", "examples", "format")


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Return a schema with its definitions in place, without what only a reader of Python needs."""
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")] | {
            key: value for key, value in schema.items() if key != "$ref"
        }
    return {key: _inlined(value, definitions) for key, value in schema.items() if key not in _DROPPED}


def _closed(schema: Any) -> Any:
    """Return a schema in which every object with named properties refuses all others."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
