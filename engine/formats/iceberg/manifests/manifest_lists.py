"""Read manifest lists with the fields of format version 3, which PyIceberg's function (0.12) leaves out."""

from typing import Final

from pyiceberg.avro.file import AvroFile
from pyiceberg.manifest import MANIFEST_LIST_FILE_SCHEMAS, ManifestContent, ManifestFile, PartitionFieldSummary

from engine.formats.iceberg.intake.storage import HeldFiles
from engine.formats.iceberg.manifests.lineage import LIST_SCHEMA
from engine.formats.iceberg.metadata.row_ids import WITH_ROW_IDS

_PARTITIONS: Final = 508


def manifests_in(path: str, body: bytes, format_version: int) -> list[ManifestFile]:
    """Return the manifests that a manifest list names, from its content.

    Records of version 3 have one field more, `first_row_id` (`inheritance.first_row_id_of`).
    """
    with AvroFile[ManifestFile](
        HeldFiles(body).new_input(path),
        LIST_SCHEMA if format_version >= WITH_ROW_IDS else MANIFEST_LIST_FILE_SCHEMAS[2],
        read_types={-1: ManifestFile, _PARTITIONS: PartitionFieldSummary},
        read_enums={517: ManifestContent},
    ) as reader:
        return list(reader)
