"""Write `policy-fields.json` from `openapi.yaml`: which fields of policies are amounts, and the values filled in.

The provider and the command line have a copy each. `--check` changes nothing; it exits with 1 if one is not up to date.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
TARGETS: Final = (
    ROOT / "clients/terraform/internal/provider/policy-fields.json",
    ROOT / "clients/cli/packhouse/documents/policy-fields.json",
)
UNITS: Final = ("[smhd]", "[KMGT]iB")
"""Parts of the patterns of durations and of sizes."""


def fields(schemas: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield each field of a policy: the field that has its section, its name, its schema."""
    waiting, seen = [("", schemas["PolicyDocument"])], set[tuple[str, str]]()
    while waiting:
        section, schema = waiting.pop()
        for name, field in schema.get("properties", {}).items():
            yield section, name, field
            waiting.append((name, field))
        inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        inner += [schema["items"]] if "items" in schema else []
        waiting += ((section, each) for each in inner)
        reference = (section, schema.get("$ref", "").rpartition("/")[2])
        if reference[1] and reference not in seen:
            seen.add(reference)
            waiting.append((section, schemas[reference[1]]))


def table() -> dict[str, Any]:
    """Return the content of the file."""
    amounts, defaults = set[str](), dict[str, dict[str, Any]]()
    schemas = yaml.safe_load((ROOT / "openapi.yaml").read_text())["components"]["schemas"]
    for section, name, field in fields(schemas):
        patterns = json.dumps([each.get("pattern", "") for each in (field, *nested(field))])
        if any(unit in patterns for unit in UNITS):
            amounts.add(name)
        if field.get("default") is not None:
            defaults.setdefault(section, {})[name] = field["default"]
    return {"amounts": sorted(amounts), "defaults": defaults}


def nested(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the alternatives of a schema."""
    for each in schema.get("anyOf", ()):
        yield each
        yield from nested(each)


if __name__ == "__main__":
    text = json.dumps(table(), indent=2, sort_keys=True) + "\n"
    for target in TARGETS:
        if "--check" not in sys.argv:
            target.write_text(text)
        elif target.read_text() != text:
            sys.exit(f"{target.relative_to(ROOT)} is not up to date: run python clients/terraform/generate.py")
