"""What a table is, on the wire: its format, schema and partition specs. Fields that its format lacks are null."""

from pydantic import ConfigDict, Field

from api.schemas.common import Answer


class DescribedColumn(Answer):
    """A column of a table."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    name: str = Field(description="Name of the column.", examples=["customer"])
    type: str = Field(description="Its type in the words of the table format.", examples=["string"])
    id: int | None = Field(default=None, description="Its field id; null: the format has none.", examples=[3])
    required: bool | None = Field(default=None, description="Whether it has no nulls; null: the format does not say.")


class DescribedPartitionField(Answer):
    """A field of a partition spec."""

    name: str = Field(description="Name of the partition field.", examples=["day"])
    column: str | None = Field(description="Its source column; null: the column was dropped.", examples=["ordered_at"])
    transform: str = Field(description="Transform of the column's values.", examples=["day"])


class PartitionSpec(Answer):
    """A partition spec: how rows are put into partitions."""

    spec_id: int
    fields: list[DescribedPartitionField] = Field(
        description="Its fields, in order; empty: the table has no partitions."
    )


class DescribedProperty(Answer):
    """A property of the table that has no effect."""

    name: str = Field(description="Name of the property.", examples=["write.parquet.row-group-size-bytes"])
    value: str = Field(description="Its value.", examples=["many"])
    reason: str = Field(description="Why it has no effect.", examples=["not a size"])


class TableDescription(Answer):
    """What a table is: its format, schema and partition specs, and figures of its metadata."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    format: str = Field(description="Table format.", examples=["iceberg"])
    format_version: int | None = Field(default=None, description="Version of the format.", examples=[2])
    uuid: str | None = Field(default=None, description="The table's own id.")
    location: str | None = Field(default=None, description="Location of its files at present.")
    head_snapshot_id: str | None = Field(default=None, description="Its current snapshot; null: it has none.")
    snapshot_count: int | None = Field(default=None, description="Unexpired snapshots.", examples=[65])
    refs: list[str] | None = Field(default=None, description="Names of its branches and tags.", examples=[["main"]])
    data_manifest_count: int | None = Field(default=None, description="Manifests of data files.", examples=[65])
    delete_manifest_count: int | None = Field(default=None, description="Manifests of delete files.", examples=[0])
    schema_id: int | None = Field(default=None, description="Id of its current schema.", examples=[0])
    columns: list[DescribedColumn] = Field(default=[], description="Its top-level columns.")
    specs: list[PartitionSpec] = Field(default=[], description="All its partition specs.")
    default_spec_id: int | None = Field(default=None, description="Id of the current partition spec.", examples=[0])
    ignored_properties: list[DescribedProperty] | None = Field(
        default=None, description="Properties that Packhouse reads and that have no effect here."
    )
    kind: str | None = Field(default=None, description="Of a Hive table: its type.", examples=["EXTERNAL_TABLE"])
    provider: str | None = Field(default=None, description="Of a Hive table: the program that made it.")
    partition_count: int | None = Field(default=None, description="Of a Hive table: partitions in the Metastore.")
    partitions_outside: int | None = Field(
        default=None, description="Of a Hive table: partitions outside of the table's location."
    )
    primary_keys: list[str] | None = Field(default=None, description="Of a Paimon table: columns of its primary key.")
    bucket_mode: str | None = Field(default=None, description="Of a Paimon table: how buckets are chosen.")
    buckets: int | None = Field(default=None, description="Of a Paimon table: number of buckets.", examples=[4])
    deletion_vectors: bool | None = Field(default=None, description="Of a Paimon table: whether it has them.")
    changelog_producer: str | None = Field(default=None, description="Of a Paimon table: its option of this name.")
    merge_engine: str | None = Field(default=None, description="Of a Paimon table: its merge engine.")
    write_only: bool | None = Field(default=None, description="Of a Paimon table: whether writers do not compact.")
