"""The policy document as JSON Schema (draft 2020-12), for editors and for checks before a policy is sent.

It is generated from the models, so it contains every field, bound, keyword and example, and the written sizes and
durations. Checks that only the service can make (contradictions between settings, columns, formats) are not in it.
"""

import json
from typing import Any, Final

from engine.domain.policies.documents.document import PolicyDocument
from engine.domain.policies.documents.triggers import Metric

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_ID: Final = "urn:packhouse:policy"

_DATA: Final = frozenset({"default", "const", "enum", "examples"})
_BOUNDS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of policy documents; equal at every call."""
    schema = PolicyDocument.model_json_schema(mode="validation")
    definitions: dict[str, Any] = schema["$defs"]
    definitions["Metric"]["description"] = "; ".join(f"{metric}: {metric.meaning}" for metric in Metric)
    _tidy(schema)
    return {"$schema": DIALECT, "$id": SCHEMA_ID, "title": "Packhouse policy"} | schema


def policy_schema_text() -> str:
    """Return the text of the published schema file."""
    return json.dumps(policy_schema(), indent=2, ensure_ascii=False) + "\n"


def _tidy(node: Any) -> None:
    """Remove titles derived from field names and null defaults of absent fields; rename bounds as in JSON Schema."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    elif isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        if "default" in node and node["default"] is None:
            del node["default"]
        for given, name in _BOUNDS.items():
            if isinstance(node.get(given), int | float):
                node[name] = node.pop(given)
        for name, value in node.items():
            if name not in _DATA:
                _tidy(value)
