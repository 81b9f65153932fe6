# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Operation(StrEnum):
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    EXPIRE_SNAPSHOTS = "expire_snapshots"
    PURGE = "purge"
    RECLAIM = "reclaim"
    REMOVE_ORPHANS = "remove_orphans"
    REWRITE = "rewrite"
    REWRITE_DELETES = "rewrite_deletes"
    REWRITE_MANIFESTS = "rewrite_manifests"

    def __str__(self) -> str:
        return str(self.value)
