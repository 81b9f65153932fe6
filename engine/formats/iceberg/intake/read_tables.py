"""Tables as our catalogs load them: with what PyIceberg's model of the metadata leaves out."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyiceberg.table import Table


class ReadTable(Table):
    """A loaded table, with the fields of its metadata document.

    Attributes:
        fields: as `metadata_fields` returns them.
        newer_types: types of columns that have a stand-in in its metadata, by field id; see `newer_types`.
        is_translated: whether anything has one.
        document: the parsed metadata document; see `metadata_files.kept_document`.
        meaningless: names of features that the catalog's owner declared to change nothing; see `intake.parameters`.
    """

    def __init__(
        self,
        *,
        fields: Mapping[str, str],
        document: Mapping[str, Any] | None = None,
        meaningless: Sequence[str] = (),
        newer_types: Mapping[int, str] | None = None,
        is_translated: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.fields = fields
        self.document = document
        self.meaningless = meaningless
        self.newer_types = newer_types or {}
        self.is_translated = is_translated
