"""Write manifests of new position-delete files, which PyIceberg does not."""

from pyiceberg.manifest import ManifestContent, ManifestWriterV2
from pyiceberg.schema import Schema
from pyiceberg.typedef import TableVersion
from pyiceberg.types import IntegerType, ListType, NestedField, StructType

_EQUALITY_IDS = 135


class DeleteManifestWriter(ManifestWriterV2):
    """Writer of a manifest of delete files, format version 2."""

    def content(self) -> ManifestContent:
        """Return that the entries are delete files."""
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}

    def _with_partition(self, format_version: TableVersion) -> Schema:
        return with_integer_ids(super()._with_partition(format_version))


def with_integer_ids(entries: Schema) -> Schema:
    """Return a schema of entries in which equality ids are integers: PyIceberg declares longs.

    Java can't read longs there in manifests of delete files.
    """
    entry = entries.find_field("data_file")
    if not isinstance(entry.field_type, StructType):
        return entries
    ids = ListType(element_id=136, element_type=IntegerType(), element_required=True)
    inner = (
        NestedField(each.field_id, each.name, ids, required=False) if each.field_id == _EQUALITY_IDS else each
        for each in entry.field_type.fields
    )
    file = NestedField(entry.field_id, entry.name, StructType(*inner), required=True)
    return Schema(*(file if each.field_id == entry.field_id else each for each in entries.fields))
