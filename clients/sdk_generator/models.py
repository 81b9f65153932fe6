"""Writes the modules of enums and of models. The models are pydantic's, made by datamodel-code-generator."""

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from sdk_generator.schemas import ENUMS_FILE, Schema, Schemas

_OPTIONS: Final = (
    *("--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel"),
    *("--target-python-version", "3.11", "--target-pydantic-version", "2"),
    *("--base-class", "packhouse_client.bases.Model", "--output-datetime-class", "datetime"),
    *("--external-ref-mapping", f"{ENUMS_FILE}=packhouse_client._generated.enums", "--use-exact-imports"),
    *("--use-schema-description", "--use-field-description", "--use-inline-field-description"),
    *("--use-single-line-docstring", "--use-double-quotes", "--strict-nullable"),
    *("--formatters", "builtin", "--disable-timestamp", "--ignore-pyproject"),
)


def enums_module(schemas: Schemas) -> str:
    """Return the module of enums. It does not import pydantic, which takes longer than the rest of the SDK."""
    classes = (_enum(name, schema) for name, schema in sorted(schemas.enums.items()))
    return "from packhouse_client.open_enums import OpenEnum\n\n" + "\n\n".join(classes)


def models_module(schemas: Schemas) -> str:
    """Return the module of models, in the order in which they need each other.

    Raises:
        SystemExit: the generator refused the schemas.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "models.json", Path(folder) / "models.py"
        source.write_text(json.dumps(_document(schemas.models)))
        (Path(folder) / ENUMS_FILE).write_text(json.dumps(_document(schemas.enums)))
        paths = ("--input", str(source), "--output", str(target))
        command = [sys.executable, "-m", "datamodel_code_generator", *paths, *_OPTIONS]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"datamodel-code-generator failed:\n{done.stdout}{done.stderr}")
        text = _with_absent_fields(target.read_text(), schemas.answers)
    # `alias` would be the argument's name for type checkers, and aliases here are keywords of Python such as `from`.
    text = re.sub(r'\balias=("\w+")', r"validation_alias=\1, serialization_alias=\1", text)
    enums = "|".join(schemas.enums)
    return re.sub(
        rf': ({enums}) = "(\w+)"', lambda default: f": {default[1]} = {default[1]}.{_member(default[2])}", text
    )


def _with_absent_fields(text: str, answers: Collection[str]) -> str:
    """Let fields of answers be missing, as in those of an older server, except tags, which choose a union's member."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ClassDef) or node.name not in answers:
            continue
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and field.value is None and "Literal[" not in ast.unparse(field):
                at = field.end_lineno or field.lineno
                lines[at - 1] = lines[at - 1].rstrip("\n") + f' = not_answered("{ast.unparse(field.target)}")\n'
    base = "from packhouse_client.bases import Model\n"
    return "".join(lines).replace(base, f"{base}from packhouse_client.not_answered import not_answered\n", 1)


def _document(schemas: Mapping[str, Schema]) -> Schema:
    return {"openapi": "3.1.0", "info": {"title": "", "version": ""}, "paths": {}, "components": {"schemas": schemas}}


def _enum(name: str, schema: Schema) -> str:
    members = [f"    {_member(value)} = {json.dumps(value)}" for value in schema["enum"]]
    text = [f'    """{schema["description"]}"""', ""] if "description" in schema else []
    return "\n".join([f"class {name}(OpenEnum):", *text, *members, ""])


def _member(value: str) -> str:
    """Return the name of a member: `DAY_OF_WEEK` for `day-of-week`, `MINUS_SCORE` for `-score`, `VALUE_1H` for `1h`."""
    return re.sub(r"\W", "_", re.sub("^(?=[0-9])", "value_", re.sub("^-", "minus_", value))).upper()
