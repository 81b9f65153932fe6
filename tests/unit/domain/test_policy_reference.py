"""`docs/reference` lists every setting, metric and preset as the code has them.

The tables are made here; when one differs, the failed comparison shows the text to put in.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic.fields import FieldInfo

from engine.domain.policies import DEFAULTS, PRESETS, Metric, PolicyDocument, PolicyScopeKind
from engine.domain.policies.documents.document import nested
from engine.domain.policies.documents.fields import Section
from engine.domain.policies.effective.merging import SHARES, STOP_TRIGGER
from engine.domain.values.units import STORED_FORM, format_bytes

ROOT = Path(__file__).parents[3]
PAGES = ("reference/policies.md", "reference/presets.md", "explanation/policy-layers.md")
TEXT = "\n".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in PAGES)
NOT_BUILT_IN = {
    "rewrite.target_file_bytes": "the table's property, otherwise 128 MiB",
    "rewrite.compression": "the table's property, otherwise `zstd:3`",
    "rewrite.key_tables.stop_trigger": "the table's property, otherwise `sorted_run_trigger` + 3",
    "rewrite.key_tables.lookup": "`lazy`; `eager` where new rows wait for a compaction",
    "triggers": "the preset's",
    "rewrite.tiers": "8 below 16 MiB, 8 below 128 MiB",
}


def settings(model: type[Section] = PolicyDocument, prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        section = next((kind for kind in get_args(field.annotation) if _is_section(kind)), None)
        if section is None:
            yield prefix + name, field
        else:
            yield from settings(section, f"{prefix}{name}.")


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Section)


def default(name: str) -> str:
    if name in NOT_BUILT_IN:
        return NOT_BUILT_IN[name]
    if name in SHARES:
        return f"`{SHARES[name]}` of the target"
    held = PolicyDocument.model_validate(nested({name: DEFAULTS[name]}), context=STORED_FORM)
    value = held.written()[name]
    is_size = name.endswith("_bytes") and isinstance(value, int)
    return format_bytes(value) if is_size else f"`{value if isinstance(value, str) else json.dumps(value)}`"


def example(field: FieldInfo) -> str:
    shown = [value if isinstance(value, str) else json.dumps(value) for value in field.examples or []]
    return ", ".join(f"`{value}`" for value in shown)


def settings_table() -> str:
    rows = [f"| `{name}` | {default(name)} | {field.description} | {example(field)} |" for name, field in settings()]
    return "\n".join(["| setting | default | meaning | such as |", "| --- | --- | --- | --- |", *rows])


def metrics_table() -> str:
    rows = [
        f"| `{metric}` | {metric.kind} | {'table' if metric.of_table else 'partition'} | {metric.meaning} |"
        for metric in Metric
    ]
    return "\n".join(
        ["| metric | compared with a | measured for each | what it is |", "| --- | --- | --- | --- |", *rows]
    )


def presets_list() -> str:
    return "\n\n".join(
        f"## `{preset.name}`\n{preset.summary}\n\n*Source:* {preset.source}" for preset in PRESETS.values()
    )


@pytest.mark.parametrize("part", [settings_table, metrics_table, presets_list], ids=lambda part: part.__name__)
def test_the_reference_shows_what_the_code_has(part: Any) -> None:
    expected = part()
    begin = TEXT.find(expected[:60])
    assert TEXT[begin : begin + len(expected)] == expected


def test_every_scope_and_setting_is_in_the_reference_whose_examples_are_policies() -> None:
    assert {name for name, _ in settings()} == DEFAULTS.keys() | SHARES.keys() | {"triggers", STOP_TRIGGER}
    assert [kind for kind in PolicyScopeKind if f"| {kind} |" not in TEXT] == []
    examples = [block.split("```")[0] for block in TEXT.split("```json\n")[1:]]
    assert len(examples) >= 2
    for written in examples:
        PolicyDocument.model_validate_json(written)


def test_the_code_names_no_setting_that_is_none() -> None:
    """A misspelled name in a lookup fails when it is read, one in a message never."""
    known = {name for name, _ in settings()}
    sections = {name.split(".")[0] for name in known if "." in name} - {"spark"}  # whose own settings begin so too
    named = re.compile(rf"({'|'.join(sections)})(\.[a-z_]+)+")
    texts = [path.read_text(encoding="utf-8") for folder in ("api", "engine") for path in (ROOT / folder).rglob("*.py")]
    literals = {
        node.value
        for text in texts
        if re.search(rf"[\"']({'|'.join(sections)})\.", text)  # parsing all takes seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    found = {literal for literal in literals if named.fullmatch(literal)}
    assert len(found) > 25
    assert found - known == {"limits.replace", "deletion.acknowledge", "deletion.undo"}  # audited actions
