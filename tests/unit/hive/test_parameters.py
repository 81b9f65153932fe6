"""The parameters of a Metastore that are known, as data; and Spark's schema in them."""

import re
import zipfile
from pathlib import Path
from typing import Final

import pyspark
import pytest
from hive_metastore import constants

from engine.formats.hive.metadata.parameters import METADATA, OF_SERDES, OF_TABLES, SERDE, TABLE
from engine.formats.hive.metadata.spark_schemas import SparkSchema
from engine.formats.intake.limits import Malformed
from tests.support.java_classes import string_constants

FIELD = '{"name":"%s","type":"long","nullable":true,"metadata":{%s}}'
NOT_STORED: Final = {
    *("hive_filter_field_owner__", "hive_filter_field_params__", "hive_filter_field_last_access__", "tmpstats-"),
    *("hive.stats.tmp.loc", "runTimeNumRows", "BASIC_STATS", "COLUMN_STATS", "CASCADE", "TASK", "USER", "true"),
    *("false", "name", "db", "location", "serde", "field_to_dimension", "expected_parameter_key", "txnId", "writeId"),
    *("expected_parameter_value", "array", "map", "struct", "uniontype", "void", "tinyint", "smallint", "int"),
    *("bigint", "interval_day_time", "interval_year_month"),
    *("boolean", "float", "double", "decimal", "string", "char", "varchar", "binary", "date", "datetime", "timestamp"),
}
"""Constants of Hive that name other things: filters, values, types, parts of an answer, and settings of jobs."""

CLASSES: Final = {
    "hive-common": "org/apache/hadoop/hive/common/StatsSetupConst",
    "hive-metastore": "org/apache/hadoop/hive/metastore/api/hive_metastoreConstants",
    "hive-serde": "org/apache/hadoop/hive/serde/serdeConstants",
    "spark-sql_": "org/apache/spark/sql/execution/datasources/parquet/ParquetOptions$",
    "spark-catalyst_": "org/apache/spark/sql/catalyst/FileSourceOptions$",
}
OTHERS: Final = {
    *("auto.purge", "parquet.bloom.filter.columns", "trino_created_by", "trino.partition_projection.ignore"),  # Trino
    *("projection.enabled", "storage.location.template", "input.regex.case.insensitive", "bucketing_version"),
    *("sort.columns", "sort.order", "impala.lastComputeStatsTime", "impala.enable.stats.extrapolation"),  # Impala
    *("impala_intermediate_stats_num_chunks", "impala.disable.recursive.listing", "impala.events.catalogServiceId"),
    *("impala.disableHmsSync", "numFilesErasureCoded", "__IMPALA_DATA_SOURCE_NAME", "doris.version", "tag"),
    *("cache_directive_id", "CreatedByJob", "UpdatedByJobRun", "useGlueParquetWriter", "CRAWL_RUN_ID", "collation"),
    *("starrocks_version", "maxRecordsPerFile", "repl.last.id", "parquet.enable.dictionary#id"),
    *("sink.partition-commit.policy.kind", "partition.time-extractor.timestamp-pattern", "lookup.join.cache.ttl"),
}
"""Parameters in the sources of Trino's Hive connector and of Impala, and those that other programs write unasked."""


def test_f45_every_parameter_of_hive_spark_trino_and_impala_is_listed() -> None:
    """F45: names of Hive 2 and Spark from their classes, of Hive 4 from its interface."""
    folder = Path(pyspark.__file__).parent / "jars"
    found = {value for name, value in vars(constants).items() if name.isupper() and isinstance(value, str)}
    for jar, name in CLASSES.items():
        (path,) = folder.glob(f"{jar}*.jar")
        found |= string_constants(zipfile.ZipFile(path).read(f"{name}.class"))
    names = {each for each in found if re.fullmatch(r"\w[\w.-]+\.?", each)} - NOT_STORED
    assert len(names) > 60
    unknown = [each for each in names | OTHERS if OF_SERDES.find(f"{each}x" if each.endswith(".") else each) is None]
    assert sorted(unknown) == []


def test_f45_each_name_is_listed_once_and_without_a_remedy_only_if_any_value_is_accepted() -> None:
    for rows in (TABLE, SERDE, METADATA):
        names = [each.name.lower() for each in rows]
        assert len(set(names)) == len(names)
        assert [each.name for each in rows if bool(each.remedy) is (each.accepted is None)] == []


def test_f45_an_exact_name_goes_before_a_pattern() -> None:
    assert [*OF_TABLES.problems({"projection.day.type": "date"}, ())] == []
    (found,) = OF_TABLES.problems({"Projection.Enabled": "true"}, ())
    assert found.startswith("Projection.Enabled is 'true'")
    (found,) = OF_TABLES.problems({"transactional_properties": "insert_only"}, ())
    assert "with `insert_only`, rows are in base and delta folders): rewrites of such tables are Hive's own" in found


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
