"""Errors that end a task early.

    KernelError          the group failed; the text names the file
    ├── InputFault       an input is missing, truncated, corrupt, or differs from the manifest
    ├── OutputFault      an output could not be created, or differs from what was written
    └── StorageFault     the storage did not answer; the file itself may be valid
        ├── StorageCredentialsExpired  the storage refused expired credentials
        └── AccessRefused        the storage refused valid credentials
    Refused              the kernel must not rewrite this group; the native path may (`reason` is one of `REASONS`)
    Stopped              the pace channel ordered the task to stop; not a fault

`Refused` and `Stopped` become outcomes; the others are raised by the task after its own files were removed.
"""

from typing import Final

NO_FIELD_IDS: Final = "no_field_ids"
DUPLICATE_FIELD_IDS: Final = "duplicate_field_ids"
INT96_TIMESTAMPS: Final = "int96_timestamps"
MISSING_REQUIRED_FIELD: Final = "missing_required_field"
NULL_IN_REQUIRED_FIELD: Final = "null_in_required_field"
TYPE_NOT_PROMOTABLE: Final = "type_not_promotable"
ENCRYPTED_FILE: Final = "encrypted_file"
UNREADABLE_LAYOUT: Final = "unreadable_layout"
UNSUPPORTED_DELETE_FILE: Final = "unsupported_delete_file"
UNSUPPORTED_STORAGE: Final = "unsupported_storage"
UNSORTABLE_COLUMN: Final = "unsortable_column"
UNSUPPORTED_KEY: Final = "unsupported_key"
UNSUPPORTED_PARTITION: Final = "unsupported_partition"
TOO_MANY_PARTITIONS: Final = "too_many_partitions"
OUTSIDE_FILES: Final = "outside_files"
NOTHING_TO_DO: Final = "nothing_to_do"
HEAP_LIMIT: Final = "heap_limit"
MIXED_LAYOUTS: Final = "mixed_layouts"

REASONS: Final = frozenset(
    {
        NO_FIELD_IDS,
        DUPLICATE_FIELD_IDS,
        INT96_TIMESTAMPS,
        MISSING_REQUIRED_FIELD,
        NULL_IN_REQUIRED_FIELD,
        TYPE_NOT_PROMOTABLE,
        ENCRYPTED_FILE,
        UNREADABLE_LAYOUT,
        UNSUPPORTED_DELETE_FILE,
        UNSUPPORTED_STORAGE,
        UNSORTABLE_COLUMN,
        UNSUPPORTED_KEY,
        UNSUPPORTED_PARTITION,
        TOO_MANY_PARTITIONS,
        OUTSIDE_FILES,
        NOTHING_TO_DO,
        HEAP_LIMIT,
        MIXED_LAYOUTS,
    }
)
"""Every `reason` of a refused group, before the colon; the text after the colon is for people."""


class KernelError(Exception):
    """The group can't be rewritten in its current state; the text names the file."""


class InputFault(KernelError):
    """An input is missing, truncated, corrupt, or differs from the manifest."""


class OutputFault(KernelError):
    """An output exists already, can't be written, or differs from what was written."""


class StorageFault(KernelError):
    """The storage did not answer: a broken connection, too many requests, or an internal error."""


class StorageCredentialsExpired(StorageFault):
    """The storage refused credentials that expired; the same task may succeed with new ones."""


class AccessRefused(StorageFault):
    """The storage refused valid credentials: they lack a permission."""


class Refused(Exception):
    """The kernel must not rewrite this group. `reason` is one of `REASONS`, `detail` names the place."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Stopped(Exception):
    """The pace channel ordered the task to stop."""
