"""The parameters of a Metastore that are known, as data and in the documentation; and Spark's schema in them."""

from itertools import groupby
from pathlib import Path

import pytest

from engine.formats.hive.metadata.parameters import METADATA, OF_SERDES, OF_TABLES, SERDE, TABLE
from engine.formats.hive.metadata.spark_schemas import SparkSchema
from engine.formats.intake.limits import Malformed
from engine.formats.intake.parameters import Parameter

DOCUMENT = Path(__file__).parents[3] / "docs/hive-parameters.md"
FIELD = '{"name":"%s","type":"long","nullable":true,"metadata":{%s}}'


def test_f45_the_documentation_lists_every_known_parameter() -> None:
    """F45: the list of what is accepted is the same in docs/hive-parameters.md."""
    listed = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    assert listed == [row for rows in (TABLE, SERDE, METADATA) for row in _lines(rows)]


def _lines(rows: tuple[Parameter, ...]) -> list[str]:
    """Return the lines of a table in the documentation; names with the same meaning are in one."""
    lines = []
    for (writers, meaning, decision, remedy), found in groupby(
        rows, lambda each: (each.writers, each.meaning, each.decision, each.remedy)
    ):
        names = ", ".join(f"`{each.name}`" for each in found)
        lines.append(f"| {names} | {writers} | {meaning} | {decision}{f'; otherwise {remedy}' if remedy else ''} |")
    return lines


def test_f45_each_name_is_listed_once_and_without_a_remedy_only_if_any_value_is_accepted() -> None:
    for rows in (TABLE, SERDE, METADATA):
        names = [each.name.lower() for each in rows]
        assert len(set(names)) == len(names)
        assert [each.name for each in rows if bool(each.remedy) is (each.accepted is None)] == []


def test_f45_an_exact_name_goes_before_a_pattern() -> None:
    assert [*OF_TABLES.problems({"projection.day.type": "date"}, ())] == []
    (found,) = OF_TABLES.problems({"Projection.Enabled": "true"}, ())
    assert found.startswith("Projection.Enabled is 'true'")


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "CreatedByJob": "load",
            "CreatedByJobRun": "jr_1",
            "useGlueParquetWriter": "true",
            "classification": "parquet",
        },
        {"UpdatedByJob": "load", "UpdatedByJobRun": "jr_2"},
        {"CRAWL_RUN_ID": "cfbd4252", "DEPRECATED_BY_CRAWLER": "1790211687660"},
        {"starrocks_version": "3.5.2-69de616", "starrocks_query_id": "ce065afe"},
        {"doris.version": "2.1.0-abc123", "tag": "doris external hive table"},
        {"collation": "UTF8_LCASE", "spark.sql.create.version": "4.1.4"},
        {"cache_directive_id": "225", "cache_replication": "1"},
        {"repl.last.id": "1042"},
        {
            "is_generic": "false",
            "sink.partition-commit.trigger": "partition-time",
            "sink.partition-commit.policy.kind": "metastore,success-file",
            "partition.time-extractor.timestamp-pattern": "$dt $hr:00:00",
            "sink.rolling-policy.file-size": "1MB",
            "streaming-source.enable": "false",
            "streaming-source.monitor-interval": "1 h",
            "lookup.join.cache.ttl": "60 s",
        },
        {"parquet.enable.dictionary#id": "false", "parquet.compression.codec.zstd.level": "9"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_f45_what_other_programs_write_without_being_asked_is_known(parameters: dict[str, str]) -> None:
    """F45: Glue jobs, StarRocks, Doris and Impala leave these in ordinary tables of files."""
    assert [*OF_TABLES.problems(parameters, ())] == []


def test_f45_options_of_writes_by_spark_are_known() -> None:
    assert [*OF_SERDES.problems({"maxRecordsPerFile": "100", "partitionOverwriteMode": "dynamic"}, ())] == []


@pytest.mark.parametrize("name", ["is_generic", "streaming-source.enable"])
def test_f45_tables_that_flink_reads_in_another_way_are_refused(name: str) -> None:
    """F45: readers that wait for new files would read rewritten rows again."""
    (found,) = OF_TABLES.problems({name: "true"}, ())
    assert found.startswith(f"{name} is 'true' (")


def test_f36_defaults_are_read_from_the_parts_of_a_long_schema() -> None:
    """F36: a default of null is what other readers find as well."""
    defaults = [("a", '"EXISTS_DEFAULT":"1","CURRENT_DEFAULT":"2"'), ("B", '"EXISTS_DEFAULT":"\'x\'"')]
    nulls = [("c", '"EXISTS_DEFAULT":"NULL"'), ("d", '"EXISTS_DEFAULT":"CAST(NULL AS DECIMAL(3,1))"'), ("e", "")]
    text = '{"type":"struct","fields":[' + ",".join(FIELD % each for each in (*defaults, *nulls)) + "]}"
    name = "spark.sql.sources.schema"
    parts = {f"{name}.numParts": "2", f"{name}.part.0": text[:70], f"{name}.part.1": text[70:]}
    for parameters in ({name: text}, parts):
        found = SparkSchema.of(parameters)
        assert found.defaults == {"a": "1", "b": "'x'"}
        assert found.columns == ["a", "b", "c", "d", "e"]
    assert SparkSchema.of({}) == SparkSchema()


@pytest.mark.parametrize(
    "parameters",
    [
        {"": "[]"},
        {"": "{"},
        {"": "[" * 100_000},
        {"": '{"fields":[1]}'},
        {".numParts": "2", ".part.0": "{}"},
        {".numParts": "x"},
    ],
    ids=str,
)
def test_a_damaged_schema_of_spark_is_malformed(parameters: dict[str, str]) -> None:
    with pytest.raises(Malformed, match=r"its parameter spark\.sql\.sources\.schema"):
        SparkSchema.of({f"spark.sql.sources.schema{name}": value for name, value in parameters.items()})
