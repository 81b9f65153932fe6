/** Codes of the API as sentences: reasons with their remedies, waits, checks, kinds of events. */

/** Return a code with spaces, so that it can be read. */
export function plain(code: string): string {
  return code.replaceAll("_", " ");
}

const REASONS: Readonly<Record<string, string>> = {
  committed: "everything planned was committed",
  nothing_to_do: "there was nothing to do",
  disabled: "the policy has enabled: false",
  cancelled: "cancelled on request",
  conflict: "other writers replaced or deleted its input files before the commit",
  cooling_down: "cooling down after races that other writers won",
  groups_failed: "some of its file groups failed",
  groups_refused: "none of its file groups can be rewritten",
  left_out: "nothing was changed, as files that it planned can't be read",
  gave_up: "too many attempts failed",
  internal_error: "an unexpected error, see the worker's log",
  bytes_per_day: "limits.bytes_per_day is used up",
  retry: "the last attempt failed and another follows",
  worker_stopped: "its worker was stopped, another continues",
  lease_expired: "its worker stopped responding, another continues",
  restored: "the database was restored from a backup, the table is read first",
  not_found: "the table or its catalog is not registered any more",
  state_conflict: "the state of the table does not allow it",
  table_replaced: "the table was dropped and created again",
  table_unreadable: "the table's metadata can't be read",
  taken_back: "it was committed, and the table was then rolled back to an earlier snapshot",
  record_restored: "it was committed after the backup from which the database was restored",
  not_eligible: "the table does not meet a condition of the rewrite",
  rejected: "a setting or the request must be changed first",
  invalid_input: "its policy has a setting that the table does not support",
  invariant_broken: "the proof of a snapshot failed, inspect the table",
  goes_on: "a part of the table is done, the run continues with the next",
  paused: "paused",
  quiet_hours: "quiet hours",
  blackout: "a blackout",
  budget: "a budget is used up",
  conflict_backoff: "cooling down after a conflict",
  latency_backoff: "queries are slow",
  catalog_fails: "runs of several tables of its catalog failed in a row",
  no_endpoint: "no Spark endpoint that its policy allows can take it",
  spark_unsuitable: "the Spark endpoints that its policy allows can't run the tasks",
  spark: "the Spark server does not answer",
  catalog: "the catalog does not answer",
  storage: "the storage of the table does not answer",
  credentials_expired: "its credentials expired, the rest is planned in smaller file groups",
  grace: "its deletion is announced and can still be undone",
  acknowledgement: "it would delete more than usual, or than was acknowledged, and waits for an acknowledgement",
  wider_rule: "its policy now deletes more than was announced: it is announced again",
  window_ahead: "the remaining file groups would not finish before a window begins",
  table_frozen: "the table is frozen because a proof failed",
  hold_gone: "what held it back has ended",
  answers_again: "what it waited for answers again",
  worker: "a free worker",
  source_gone: "another writer replaced or removed one of its input files",
  new_deletes: "another writer deleted rows of its input files",
  deletes_gone: "another writer removed deletes that it had applied",
  lineage_changed: "another writer assigned row ids to the input files after the plan",
  table_changed: "another writer changed the table so that the plan no longer fits",
  dropped_in_commit: "another writer was first; found during the commit",
};

/** Return the text of a reason code; an unknown code with spaces. */
export function reasonText(code: string): string {
  return REASONS[code] ?? plain(code);
}

const REMEDIES: Readonly<Record<string, string>> = {
  conflict: "Run when writers are quiet: set schedule.cron or seal, or lower rewrite.max_group_bytes so that groups take less time.",
  groups_failed: "Look at the reasons of the dropped groups below, remove their cause, and run again: committed groups stay.",
  groups_refused: "Look at the reasons of the dropped groups below: another run is refused too unless the table changes.",
  left_out: "Look at the files that the detail and the result name: restore them, or remove the commits that need them.",
  gave_up: "Look at the reasons of the attempts below, remove their cause, and run again: committed groups stay.",
  internal_error: "Look for this run's id in the worker's log, and run again; report it if it repeats.",
  not_found: "Register the table or its catalog again.",
  state_conflict: "Look at the detail: change the state that it names (credentials, a freeze, a branch), and run again.",
  table_replaced: "Delete the table's registration and register it again.",
  table_unreadable: "Check that the catalog's storage credentials can read the table's metadata.",
  taken_back: "Find out who rolled the table back; if it was meant, nothing is to be done.",
  record_restored: "Look at the table: submit another run if a part of it is still to be rewritten.",
  not_eligible: "Open the table: its conditions show the one that is not met.",
  rejected: "Change the setting that the detail names, and run again.",
  invalid_input: "Change the setting of the policy that the detail names, and run again.",
  invariant_broken: "Inspect the table now: compare the two snapshots, see “When a proof fails” in the documentation.",
  disabled: "Set enabled: true in the policy if the table is to be rewritten.",
  bytes_per_day: "Raise limits.bytes_per_day, or wait until tomorrow.",
};

export function remedyOf(code: string | null): string | null {
  return code === null ? null : (REMEDIES[code] ?? null);
}

const WAITS: Readonly<Record<string, readonly [string, string]>> = {
  worker: ["A free worker, or the end of a pause", "It starts as soon as a worker and room under parallel_runs are free."],
  retry: ["The next try", "The last attempt failed; the run tries again."],
  budget: ["A budget", "A budget of its policy is used up. Raise the limit to start earlier."],
  conflict_backoff: ["A rest after a conflict", "Other writers were first; trying at once would lose again."],
  paused: ["The end of a pause", "Resume what is paused to let it start."],
  quiet_hours: ["The end of quiet hours", "Change quiet_hours of the policy to let it start earlier."],
  blackout: ["The end of a blackout", "Remove the blackout from the policy to let it start earlier."],
  latency_backoff: ["Faster queries", "Queries of the table are slow; the run starts when they are fast again."],
  catalog_fails: ["The catalog's recovery", "Runs of several of its tables failed in a row. Check the catalog."],
  no_endpoint: ["A Spark endpoint", "None with the labels that its policy requires can take it: add one, or open a drained one."],
  spark_unsuitable: ["A suitable Spark endpoint", "Those with the labels that its policy requires can't run the tasks; the system page says why."],
  spark: ["The Spark server", "It does not answer and is probed; no failure is counted."],
  catalog: ["The catalog", "It does not answer and is probed; no failure is counted."],
  acknowledgement: ["An acknowledgement", "It would delete more than usual, or than was acknowledged. Nothing more is deleted until a person acknowledges it."],
  grace: ["The grace of its deletion", "Nothing is deleted yet. Undo it under Deletions; a run that is only cancelled is announced again."],
  storage: ["The table's storage", "It does not answer and is probed; no failure is counted."],
};

/** Return what a run waits for, and what that means. */
export function waitText(cause: string | null): readonly [string, string] {
  return WAITS[cause ?? "worker"] ?? [plain(cause ?? "worker"), ""];
}

const CHECKS: Readonly<Record<string, string>> = {
  snapshot_present: "The table has the run's snapshot.",
  parent_present: "The snapshot before it can still be read.",
  operation_is_replace: "The snapshot is a replacement: readers of changes skip it.",
  in_main_history: "The snapshot is in the history of main.",
  main_branch: "The snapshot is on the branch main.",
  groups_as_claimed: "It has exactly the file groups that the run committed.",
  removed_files_as_planned: "Exactly the planned files were removed.",
  added_files_as_written: "Exactly the written files were added.",
  rows_conserved: "No row was lost or added.",
  added_files_in_place: "Every added file is in the table's location.",
  specs_and_partitions_kept: "Added files have the partition of the files that they replace.",
  planned_partition_only: "Only the planned partition was changed.",
  sort_orders_as_written: "Files claim a sort order only if their rows have it.",
  sequence_numbers_kept: "Sequence numbers are right, so deletes apply to the same rows as before.",
  null_counts_conserved: "Counts of nulls are the same before and after.",
  row_ids_kept: "Rows keep their ids.",
  bounds_enclose_rows: "Bounds of columns enclose their rows, so no filter hides a row.",
  manifests_enclose_partitions: "Bounds of manifests enclose their partitions.",
  manifests_listed_as_written: "New manifests are listed as they were written.",
  all_else_unchanged: "Nothing else of the table changed.",
  deletes_conserved: "No delete that a live file needs was removed.",
  other_deletes_unchanged: "Deletes of other files are unchanged.",
  same_deleted_positions: "The same rows are deleted as before.",
  same_live_files: "The same files are live as before.",
  same_data_files: "The same data files are live as before.",
  deletion_vectors_valid: "Deletion vectors of removed files were removed, and all others are valid.",
  files_unique: "No file is listed twice.",
  references_resolve: "Every branch and tag still has its snapshot.",
  references_unchanged: "Branches and tags are unchanged.",
  others_are_kept: "No other snapshot was removed.",
  expired_are_gone: "The expired snapshots are gone.",
  deleted_are_unneeded: "No deleted file is needed by a snapshot that is left.",
  snapshot_expired: "The snapshot expired before it was verified: only its files were checked.",
};

/** Return what a check proves when it holds. */
export function checkText(name: string): string {
  return CHECKS[name] ?? `${plain(name)}.`;
}

const EVENTS: Readonly<Record<string, string>> = {
  submitted: "Submitted",
  claimed: "Claimed by a worker",
  state_changed: "State changed",
  parked: "Returned to the queue",
  reaped: "Taken from a worker that stopped responding",
  held_back: "Held back",
  let_go: "May start again",
  acknowledgement_asked: "Waits for an acknowledgement of what it would delete",
  group_written: "Group written",
  group_dropped: "Group given up",
  commit_sent: "Commit sent",
  commit_not_sent: "Commit was not sent",
  commit_refused: "The catalog refused the commit",
  commit_unknown: "Commit's answer was lost",
  committed: "Committed and verified",
  verification_failed: "A proof failed",
  cancel_requested: "Cancel requested",
  cancelled: "Cancelled",
  waits_for_parallel_groups: "Waits for a task of the fleet's parallel groups",
  longer_than_any_gap: "A group is longer than every gap between windows",
  tasks_stalled: "The tasks moved nothing and were stopped",
  files_deleted: "Files deleted",
  snapshots_expired: "Snapshots expired",
  purged: "History purged",
};

export function eventText(kind: string): string {
  return EVENTS[kind] ?? plain(kind);
}
