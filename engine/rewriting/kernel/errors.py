"""How a task ends early, and why.

    KernelError          the group failed; the text names the file
    ├── InputFault       an input is missing, truncated, corrupt, or not what the manifest says
    ├── OutputFault      an output could not be made, or is not what was written
    └── StorageFault     the storage did not answer, which says nothing about the file
        ├── CredentialsExpired   it refused credentials that expired
        └── AccessRefused        it refused valid credentials
    Refused              the kernel must not rewrite this group; the native path may (`reason` is one of `REASONS`)
    Stopped              the pace channel said stop; no fault

`Refused` and `Stopped` become outcomes, the others leave the task as exceptions, after its own files were removed.
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
OUTSIDE_FILES: Final = "outside_files"

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
        OUTSIDE_FILES,
    }
)
"""Every `reason` that a refused group can carry, before the colon; what follows the colon is for people."""


class KernelError(Exception):
    """The group can't be rewritten as it stands; the text names the file."""


class InputFault(KernelError):
    """An input is missing, truncated, corrupt, or not what the manifest says."""


class OutputFault(KernelError):
    """An output exists already, can't be written, or is not what was written."""


class StorageFault(KernelError):
    """The storage did not answer: a broken connection, too many requests, an error of its own."""


class CredentialsExpired(StorageFault):
    """The storage refused credentials that expired; the same task may succeed with new ones."""


class AccessRefused(StorageFault):
    """The storage refused valid credentials: they lack a permission."""


class Refused(Exception):
    """The kernel must not do this group. `reason` is one of `REASONS`, `detail` says where."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Stopped(Exception):
    """The pace channel told the task to stop."""
