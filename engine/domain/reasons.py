"""Every reason code in words: why runs ended or wait, why partitions are left alone, what holds a table back.

Codes are stable and for programs; these words are for people, and nothing else puts a code into words. Each is a
clause that begins in lower case and ends without a full stop, so that it fits after a colon or in brackets.
"""

from collections.abc import Mapping
from typing import Final

OF_PARTITIONS: Final[Mapping[str, str]] = {
    "well_sized": "the files have the right size",
    "too_few_files": "fewer candidates than rewrite.min_input_files",
    "as_good_as_it_gets": "a rewrite would not make fewer files",
    "excluded_above": "what could be rewritten is above rewrite.exclude_above_bytes",
    "equality_deletes": "equality deletes, which the rewrite does not apply",
    "encrypted": "encrypted files, which the rewrite does not read",
    "not_parquet": "files that are not Parquet",
    "outside_files": "files outside of the table's location, which the catalog refuses (outside_files)",
    "unchanged": "no new file since the last rewrite, or only one file",
    "not_sealed": "not sealed yet: somebody may still write to it",
    "remainder": "only files that a rewrite left, and another would not halve their number",
    "not_due": "no rule of the policy makes it due now",
    "later": "the run plans it when partitions that gain more are done",
    "cooling_down": "cooling down after races that other writers won",
    "not_eligible_for_full": "a full rewrite is not worth it by rewrite.full.eligibility",
}
"""Why a partition is left alone."""

OF_RUNS: Final[Mapping[str, str]] = {
    "committed": "everything planned was committed",
    "nothing_to_do": "no partition was worth a rewrite",
    "disabled": "the policy has enabled: false",
    "cancelled": "somebody cancelled it",
    "conflict": "other writers changed the files first",
    "cooling_down": "cooling down after races that other writers won",
    "groups_failed": "some of its file groups failed",
    "gave_up": "too many attempts failed",
    "internal_error": "an error that nobody foresaw, the worker's log says where",
    "bytes_per_day": "limits.bytes_per_day is used up",
    "retry": "the last attempt failed and is tried again",
    "worker_stopped": "its worker was stopped, another goes on",
    "lease_expired": "its worker vanished, another goes on",
    "not_found": "the table or its catalog is not registered any more",
    "state_conflict": "the state of the table forbids it",
    "table_replaced": "the table was dropped and made anew",
    "table_unreadable": "the table's metadata can't be read",
    "taken_back": "it was committed, and somebody else rolled the table back",
    "not_eligible": "the table has what the rewrite can't take",
    "rejected": "something has to be changed first",
    "invalid_input": "its policy asks for what can't be done",
    "invariant_broken": "a proof failed, a human must look",
    "goes_on": "a part of the table is done, the run goes on with the next",
    "paused": "a pause is on",
    "quiet_hours": "quiet hours",
    "blackout": "a blackout",
    "budget": "a budget is used up",
    "conflict_backoff": "cooling down after a conflict",
    "latency_backoff": "queries are slow",
    "catalog_fails": "runs of several tables of its catalog failed in a row",
    "spark": "the Spark server does not answer",
    "catalog": "the catalog does not answer",
    "storage": "the storage of the table does not answer",
    "credentials_expired": "its credentials expired, the rest is planned in smaller file groups",
    "window_ahead": "what is left would not end before a window begins",
    "table_frozen": "the table is frozen since a proof failed",
}
"""Why a run ended as it did, or what it waits for."""

OF_TABLES: Final[Mapping[str, str]] = {
    "disabled": "its policy has enabled: false",
    "table_paused": "the table is paused",
    "table_frozen": "the table is frozen since a proof failed",
    "catalog_paused": "all tables of its catalog are paused",
    "fleet_paused": "all tables are paused",
    "fleet_full": "as many runs as there may be are at work",
    "catalog_full": "its catalog has as many runs at work as it may",
    "unreachable": "it can't be looked at",
    "table_replaced": "it was dropped and made anew",
    "table_unreadable": "its metadata can't be read",
    "not_eligible": "it has what the rewrite can't take",
    "not_possible": "its policy asks for what can't be done",
    "run_at_work": "a run of it is at work",
    "run_waits": "a run of it waits already",
    "quiet_hours": "quiet hours",
    "blackout": "a blackout",
    "latency_backoff": "queries are slow",
    "nothing_to_do": "a rule makes it due, but no file of it is worth a rewrite",
    "catalog_fails": "runs of several tables of its catalog failed in a row",
    "spark": "the Spark server does not answer",
    "catalog": "its catalog does not answer",
    "storage": "its storage does not answer",
    "runs_in_vain": "it rests after runs without success",
    "min_interval": "the last run that changed it started less than schedule.min_interval ago",
    "new_table": "it is newly registered",
    "conflict_backoff": "it cools down after a conflict with other writers",
    "cooling_down": "cooling down after races that other writers won",
    "bytes_per_day": "limits.bytes_per_day is used up",
    "not_sealed": "no partition that a rule makes due is sealed yet",
}
"""What holds a table back from a run by itself."""


def in_words(code: str) -> str:
    """Return any reason code in words; one that is not known with its underscores as spaces."""
    for words in (OF_RUNS, OF_PARTITIONS, OF_TABLES):
        if code in words:
            return words[code]
    return code.replace("_", " ")
