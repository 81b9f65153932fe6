"""The text of every reason code: why runs ended or wait, why partitions are skipped, what holds a table back.

Codes are stable and for programs; these texts are for people, and all texts of codes are defined here. Each is a
clause that begins in lower case and ends without a full stop, so that it fits after a colon or in brackets.
"""

from collections.abc import Mapping
from typing import Final

OF_PARTITIONS: Final[Mapping[str, str]] = {
    "well_sized": "the files have the right size",
    "few_runs": "no bucket has rewrite.key_tables.sorted_run_trigger sorted runs",
    "too_few_files": "fewer candidates than rewrite.min_input_files",
    "as_good_as_it_gets": "a rewrite would not make fewer files",
    "excluded_above": "all candidates are above rewrite.exclude_above_bytes",
    "equality_deletes": "equality deletes, which the rewrite does not apply",
    "encrypted": "encrypted files, which the rewrite does not read",
    "not_parquet": "files that are not Parquet",
    "other_format": "its folder has the metadata of another table format, whose readers choose the rows",
    "unknown_storage": "its entry in the catalog is not that of plain data files, see the table's conditions",
    "shared_location": "its folder is another partition's, is inside of it, or contains it",
    "repeated_values": "another partition has the same values",
    "nested_files": "files in folders below its own, which not every engine reads",
    "outside_location": "its folder is outside of the table's location: files that writers add there would be lost",
    "long_names": "the names of its folder are too long for the record of a rewrite",
    "outside_files": "files outside of the table's location, which the catalog refuses (outside_files)",
    "unchanged": "no new file since the last rewrite, or only one file",
    "not_sealed": "not sealed yet: writers may still add files",
    "remainder": "only files that a rewrite left, and another would not halve their number",
    "not_due": "no rule of the policy makes it due now",
    "later": "the run plans it after partitions with a higher benefit",
    "full_first": "the next run is a full rewrite of other partitions, and one of this follows",
    "cooling_down": "cooling down after races that other writers won",
    "not_eligible_for_full": "it does not meet rewrite.full.eligibility",
}
"""Reasons why a partition is skipped."""

OF_GROUPS: Final[Mapping[str, str]] = {
    "source_gone": "another writer replaced or deleted its input files before the commit",
    "new_deletes": "deletes of rows of its input files arrived before the commit",
    "deletes_gone": "another writer removed a delete file that the rewrite had applied",
    "lineage_changed": "another writer assigned row ids to the input files after the plan",
    "table_changed": "another writer changed the table so that the plan no longer fits",
    "dropped_in_commit": "another writer changed its input files during the commit",
}
"""Changes of other writers for which a file group was dropped; other reasons are those of its run."""

OF_RUNS: Final[Mapping[str, str]] = {
    "committed": "everything planned was committed",
    "nothing_to_do": "there was nothing to do",
    "disabled": "the policy has enabled: false",
    "cancelled": "cancelled on request",
    "conflict": "other writers replaced or deleted its input files before the commit",
    "cooling_down": "cooling down after races that other writers won",
    "groups_failed": "some of its file groups failed",
    "groups_refused": "none of its file groups can be rewritten",
    "left_out": "nothing was changed, as files that it planned can't be read: result.left_out names them",
    "gave_up": "too many attempts failed",
    "internal_error": "an unexpected error, see the worker's log",
    "bytes_per_day": "limits.bytes_per_day is used up",
    "retry": "the last attempt failed and another follows",
    "worker_stopped": "its worker was stopped, another continues",
    "lease_expired": "its worker stopped responding, another continues",
    "restored": "the database was restored from a backup, the table is read first",
    "not_found": "the table or its catalog is not registered any more",
    "state_conflict": "the state of the table does not allow it",
    "table_replaced": "the table was dropped and created again",
    "table_unreadable": "the table's metadata can't be read",
    "taken_back": "it was committed, and the table was then rolled back to an earlier snapshot",
    "record_restored": "it was committed after the backup from which the database was restored",
    "not_eligible": "the table does not meet a condition of the rewrite",
    "rejected": "a setting or the request must be changed first",
    "invalid_input": "its policy has a setting that the table does not support",
    "invariant_broken": "the proof of a snapshot failed, inspect the table",
    "goes_on": "a part of the table is done, the run continues with the next",
    "paused": "paused",
    "quiet_hours": "quiet hours",
    "blackout": "a blackout",
    "budget": "a budget is used up",
    "conflict_backoff": "cooling down after a conflict",
    "latency_backoff": "queries are slow",
    "catalog_fails": "runs of several tables of its catalog failed in a row",
    "no_endpoint": "no Spark endpoint that its policy allows can take it",
    "spark_unsuitable": "the Spark endpoints that its policy allows can't run the tasks",
    "spark": "the Spark server does not answer",
    "catalog": "the catalog does not answer",
    "storage": "the storage of the table does not answer",
    "credentials_expired": "its credentials expired, the rest is planned in smaller file groups",
    "window_ahead": "the remaining file groups would not finish before a window begins",
    "table_frozen": "the table is frozen because a proof failed",
    "grace": "its deletion is announced and can still be undone",
    "acknowledgement": "it would delete more than usual, or than was acknowledged, and waits for an acknowledgement",
    "wider_rule": "its policy now deletes more than was announced: it is announced again",
}
"""Reasons why a run ended in its state, or waits."""

OF_TABLES: Final[Mapping[str, str]] = {
    "disabled": "its policy has enabled: false",
    "table_paused": "the table is paused",
    "table_frozen": "the table is frozen because a proof failed",
    "catalog_paused": "all tables of its catalog are paused",
    "fleet_paused": "all tables are paused",
    "fleet_full": "the fleet's limit of parallel_runs or parallel_groups is reached",
    "catalog_full": "its catalog's limit of parallel_runs is reached",
    "unreachable": "it can't be read",
    "table_replaced": "it was dropped and created again",
    "table_unreadable": "its metadata can't be read",
    "not_eligible": "it does not meet a condition of the rewrite",
    "not_possible": "its policy has a setting that the table does not support",
    "run_at_work": "a run of it is at work",
    "run_waits": "a run of it waits already",
    "quiet_hours": "quiet hours",
    "blackout": "a blackout",
    "latency_backoff": "queries are slow",
    "nothing_to_do": "a rule makes it due, but no file of it is worth a rewrite",
    "catalog_fails": "runs of several tables of its catalog failed in a row",
    "no_endpoint": "no Spark endpoint that its policy allows can take it",
    "spark_unsuitable": "the Spark endpoints that its policy allows can't run the tasks",
    "spark": "the Spark server does not answer",
    "catalog": "its catalog does not answer",
    "storage": "its storage does not answer",
    "runs_in_vain": "it rests after runs without effect",
    "min_interval": "the last run that changed it started less than schedule.min_interval ago",
    "new_table": "it is newly registered",
    "conflict_backoff": "it cools down after a conflict with other writers",
    "cooling_down": "cooling down after races that other writers won",
    "bytes_per_day": "limits.bytes_per_day is used up",
    "not_sealed": "no partition that a rule makes due is sealed yet",
    "grace": "a deletion of it is announced and can still be undone",
    "acknowledgement": "a deletion of it is larger than usual, or than was acknowledged, and waits for a person",
}
"""Reasons why no automatic run of a table starts."""


def describe_reason(code: str) -> str:
    """Return the text of a reason code; of an unknown code, the code with spaces in place of underscores."""
    for words in (OF_RUNS, OF_PARTITIONS, OF_TABLES, OF_GROUPS):
        if code in words:
            return words[code]
    return code.replace("_", " ")
