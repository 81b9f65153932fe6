"""The features of Iceberg tables that are known, as data and in the documentation."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from engine.formats.iceberg.features.fields import FIELDS
from engine.formats.iceberg.features.known import TRANSFORMS, TYPES, problems_of
from engine.formats.iceberg.features.properties import NAMESPACES, PROPERTIES
from engine.formats.iceberg.features.rows import Activity, Feature
from engine.formats.iceberg.intake.metadata_fields import fields_of

DOCUMENT = (Path(__file__).parents[2] / "docs/iceberg-features.md").read_text()


def test_f45_the_documentation_lists_every_known_feature_of_iceberg() -> None:
    """F45: the lists of what is accepted are the same in docs/iceberg-features.md."""
    listed = [line for line in DOCUMENT.splitlines() if line.startswith("| `")]
    assert listed == [*_lines(FIELDS), *_lines(PROPERTIES)]
    for names in (TYPES.values(), TRANSFORMS.values(), NAMESPACES):
        assert ", ".join(f"`{each}`" for each in names) in DOCUMENT


def _lines(features: Sequence[Feature]) -> Iterator[str]:
    """Yield the lines of a table in the documentation; features with the same meaning are in one."""
    for (writers, meaning, decision, remedy, concerns), found in groupby(features, _row):
        names = ", ".join(f"`{each.parameter.name}`" for each in found)
        accepted = f"{decision}{f'; otherwise {remedy}' if remedy else ''}"
        yield f"| {names} | {writers} | {meaning} | {accepted} | {', '.join(concerns) or 'none'} |"


def _row(feature: Feature) -> tuple[str, str, str, str, tuple[Activity, ...]]:
    it = feature.parameter
    return it.writers, it.meaning, it.decision, it.remedy, feature.concerns


@pytest.mark.parametrize("features", [FIELDS, PROPERTIES])
def test_f45_a_feature_is_listed_once_and_names_a_remedy_if_it_forbids_something(features: Sequence[Feature]) -> None:
    counts = Counter(each.parameter.name.lower() for each in features)
    assert [name for name, count in counts.items() if count > 1] == []
    for each in features:
        assert bool(each.concerns) is bool(each.parameter.remedy) is (each.parameter.accepted is not None), each


@pytest.mark.parametrize(
    ("properties", "forbidden"),
    [
        ({"write.parquet.bloom-filter-enabled.column.a.b": "FALSE"}, set()),
        ({"write.parquet.bloom-filter-enabled.column.a.b": "true"}, {Activity.KERNEL}),
        ({"write.datafusion.fanout.enabled": "false"}, set()),
        ({"write.parquet.content-defined-chunking.enabled": "true"}, set()),
        ({"Write.New": "1"}, {Activity.KERNEL, Activity.UPKEEP}),
        ({"writer": "1", "history": "2"}, set()),
        ({"Delta-Version": "1"}, set(Activity)),
        ({"dq.rule": "1"}, set()),
    ],
)
def test_f45_a_property_forbids_only_what_it_concerns(properties: Mapping[str, str], forbidden: set[Activity]) -> None:
    """F45: outside of Iceberg's namespaces, only properties that are listed have a meaning."""
    assert {work for work in Activity if problems_of(work, {}, properties)} == forbidden


def test_f45_fields_are_found_at_any_depth() -> None:
    """F45: free texts of users are no fields."""
    nested = {"type": "struct", "fields": [{"id": 2, "strange": {"initial-default": {"own": 1}}}]}
    document = {
        "schema": {"fields": [{"id": 1, "type": nested, "doc": None}]},
        "refs": {"main": {"type": "branch", "lock": True}},
        "snapshots": [{"summary": {"free": "text"}}, {"late": 1}],
        "properties": {"free": "text"},
    }
    assert {name for name in fields_of(document) if "." in name} == {
        *("schemas.fields", "schemas.id", "schemas.type", "schemas.strange", "schemas.initial-default"),
        *("refs.type", "refs.lock", "snapshots.summary", "snapshots.late"),
    }
    assert fields_of([document]) == {}
