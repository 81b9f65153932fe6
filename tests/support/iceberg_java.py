"""Iceberg's Java library in a JVM of its own: it writes what Spark SQL has no words for, and reads tables.

It shares a lake's catalog (`tests.support.iceberg_tables.Lake`). Whole numbers of rows must fit 32 bits: py4j sends
others than those as `Long`, which Iceberg takes for columns of that type only.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from engine.embedded.jars import CACHE_FOLDER, ICEBERG_RUNTIME, SQLITE_JDBC, fetch_all
from engine.embedded.java import find_java, find_spark_home
from tests.support.iceberg_tables import Lake
from tests.support.jvm import SHORT_LIVED

_NAMES = count(1)


class JavaIceberg:
    """A JVM with Iceberg, and a lake's catalog in it."""

    def __init__(self, gateway: JavaGateway, lake: Lake) -> None:
        self.gateway = gateway
        self.iceberg = gateway.jvm.org.apache.iceberg
        self.types = self.iceberg.types.Types
        self._catalog = self.iceberg.jdbc.JdbcCatalog()
        self._catalog.setConf(gateway.jvm.org.apache.hadoop.conf.Configuration())
        place = {"uri": f"jdbc:sqlite:{lake.folder}/catalog.db", "warehouse": f"file://{lake.folder}/warehouse"}
        self._catalog.initialize("lake", place | {"jdbc.schema-version": "V1"})
        namespace = self.iceberg.catalog.Namespace.of(self._array(gateway.jvm.String, ["sales"]))
        self._name = self.iceberg.catalog.TableIdentifier.of(namespace, "orders")

    def create(self, *fields: Any, by_day_of: str | None = None) -> Any:
        """Create the table `sales.orders` of format version 3."""
        schema = self.iceberg.Schema(self._array(self.types.NestedField, fields))
        spec = self.iceberg.PartitionSpec.builderFor(schema)
        spec = spec.day(by_day_of) if by_day_of else spec
        return self._catalog.createTable(self._name, schema, spec.build(), {"format-version": "3"})

    def load(self) -> Any:
        """Return the table as it is now."""
        return self._catalog.loadTable(self._name)

    def append(self, table: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append a file with rows of one partition."""
        schema, spec = table.schema(), table.spec()
        key = self.iceberg.PartitionKey(spec, schema)
        writers = self.iceberg.data.GenericFileWriterFactory.Builder(table)
        factory = writers.dataFileFormat(self.iceberg.FileFormat.PARQUET).dataSchema(schema).build()
        target = table.io().newOutputFile(f"{table.location()}/data/java-{next(_NAMES)}.parquet")
        writer = None
        for row in rows:
            record = self.iceberg.data.GenericRecord.create(schema)
            for name, value in row.items():
                record.setField(name, value)
            if writer is None:
                wrapped = self.iceberg.data.InternalRecordWrapper(schema.asStruct()).wrap(record)
                key.partition(wrapped)
                encrypted = self.iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(target)
                writer = factory.newDataWriter(encrypted, spec, key)
            writer.write(record)
        assert writer is not None
        writer.close()
        table.newAppend().appendFile(writer.toDataFile()).commit()

    def rows(self, condition: Any = None) -> list[str]:
        """Return the table's rows as texts, sorted; `condition`: an expression that selects some."""
        scan = self.iceberg.data.IcebergGenerics.read(self.load())
        found, records = [], (scan if condition is None else scan.where(condition)).build().iterator()
        while records.hasNext():
            found.append(records.next().toString())
        return sorted(found)

    def _array(self, of: Any, values: Sequence[Any]) -> Any:
        made = self.gateway.new_array(of, len(values))
        for at, value in enumerate(values):
            made[at] = value
        return made


@contextmanager
def java_iceberg(lake: Lake) -> Iterator[JavaIceberg]:
    """Yield a JVM that ends with the block."""
    jars = [str(jar.absolute()) for jar in fetch_all([ICEBERG_RUNTIME, SQLITE_JDBC], CACHE_FOLDER)]
    port, token = launch_gateway(
        classpath=":".join([*jars, f"{find_spark_home()}/jars/*"]),
        java_path=str(find_java()),
        javaopts=list(SHORT_LIVED),
        die_on_exit=True,
        enable_auth=True,
    )
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
    try:
        yield JavaIceberg(gateway, lake)
    finally:
        gateway.shutdown()
