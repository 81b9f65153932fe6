"""What defends against each row of faults, how to take it away, and the test that must notice.

The text of a defence stands once in its file; a test holds that (`test_cases.py`), so a case can't go stale silently.
"""

from dataclasses import dataclass
from typing import Final

_TRIES: Final = "engine/formats/iceberg/commits/tries.py"
_FAULTS: Final = "tests/integration/rewrites/test_faults.py"
_SEEN: Final = "tests/integration/rewrites/test_seen_elsewhere.py"
_NATIVE: Final = "tests/integration/rewrites/test_native_faults.py"
_MISMATCHES: Final = "tests/integration/rewrites/test_mismatches.py"
_RACES: Final = "tests/integration/iceberg/test_races.py"
_METRICS: Final = "tests/unit/planning/test_partition_metrics.py"
_MOVES: Final = "tests/integration/iceberg/test_output_specs.py"
_STATISTICS: Final = "tests/integration/iceberg/test_statistics.py"
_LINEAGES: Final = "tests/integration/iceberg/test_lineages.py"
_OUTPUTS: Final = "tests/integration/iceberg/test_outputs.py"
_OUTAGES: Final = "tests/integration/rewrites/test_outages.py"
_ORPHANS: Final = "tests/integration/iceberg/test_orphan_places.py"
_OUTSIDE: Final = "tests/integration/hive/test_meaning_outside_files.py"


@dataclass(frozen=True, slots=True)
class Edit:
    """A defence, and what stands in its place when it is gone."""

    file: str
    defence: str
    without: str


@dataclass(frozen=True, slots=True)
class Case:
    """A row and its tests, by pytest's names: each must pass, and fail with the edits.

    Several edits are guards of which one is enough.
    """

    row: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]


def _case(row: str, file: str, defence: str, without: str, *tests: str) -> Case:
    """Return a case of a single defence."""
    return Case(row, (Edit(file, defence, without),), tests)


CASES: Final = (
    _case(
        "F1",
        "engine/services/operations/rewrite/native_path.py",
        "reason = LEFT_ALONE if failure is None else DropReason.failed(failure.message)",
        "reason = LEFT_ALONE",
        f"{_NATIVE}::test_f1_what_a_failed_call_said_is_the_runs_reason",
    ),
    _case(
        "F2",
        "engine/services/operations/rewrite/native_path.py",
        "change = await self._adopt(sent, seconds=seconds)",
        "change = None if failure else await self._adopt(sent, seconds=seconds)",
        f"{_NATIVE}::test_f2_a_call_that_says_no_after_it_committed_counts_as_what_it_did",
    ),
    _case(
        "F3",
        "engine/services/operations/rewrite/native_path.py",
        'LEFT_ALONE: Final = DropReason.refused("left_alone: the procedure replaced no file of this group")',
        "LEFT_ALONE: Final = DropReason.lost(Loss.SOURCE_GONE)",
        f"{_NATIVE}::test_f3_a_call_that_says_yes_and_does_nothing_is_no_success",
    ),
    _case(
        "F4",
        "engine/rewriting/kernel/reading/row_check.py",
        "if after != wanted:",
        "if False:",
        "tests/unit/kernel/test_row_check.py::test_other_rows_of_the_same_number_fail_the_group",
        "tests/integration/rewrites/test_row_checks.py::test_a_group_with_other_rows_is_never_committed",
    ),
    _case(
        "F5",
        "engine/formats/iceberg/commits/verification.py",
        "ok=all(check.holds for check in checks),",
        "ok=True,",
        f"{_MISMATCHES}::test_a_commit_that_lost_rows_is_taken_back",
        f"{_MISMATCHES}::test_what_others_committed_since_is_kept_and_the_table_is_frozen",
    ),
    _case(
        "F5",
        "engine/formats/iceberg/rewrite/changes.py",
        'return Condition("rows_conserved", change.rows_deleted == known,',
        'return Condition("rows_conserved", True,',
        f"{_NATIVE}::test_f5_a_call_that_lost_rows_is_rolled_back_and_the_run_fails",
    ),
    _case(
        "F6",
        "engine/formats/iceberg/commits/conflicts.py",
        "if self.is_global or not self.partitions.isdisjoint({group.place, *places_after}):",
        "if False:",
        f"{_RACES}::test_a_new_equality_delete_drops_the_group",
        f"{_SEEN}::test_f6_an_equality_delete_that_came_meanwhile_keeps_its_partition_as_it_is",
    ),
    _case(
        "F6",
        "engine/formats/iceberg/commits/conflicts.py",
        "isdisjoint({group.place, *places_after}):",
        "isdisjoint({group.place}):",
        f"{_MOVES}::test_an_equality_delete_that_comes_into_the_new_partition_meanwhile_stops_the_commit",
    ),
    _case(
        "F6",
        "engine/formats/iceberg/commits/producer.py",
        "if group.output_spec_id is not None or any(each.deletes for each in group.inputs)",
        "if any(each.deletes for each in group.inputs)",
        f"{_MOVES}::test_an_equality_delete_of_before_in_the_new_partition_never_applies_to_moved_rows",
    ),
    _case(
        "F7",
        "engine/formats/iceberg/commits/conflicts.py",
        "elif changes.touch(group, _places_after(view, group)):",
        "elif False:",
        f"{_RACES}::test_a_new_delete_hidden_behind_later_appends_is_still_seen",
        f"{_SEEN}::test_f7_a_position_delete_that_came_meanwhile_is_not_lost",
    ),
    _case(
        "F13",
        "engine/formats/iceberg/removal/outputs.py",
        "    view = _later(seen, load)\n    found = outputs_up_to(",
        "    view = load()\n    found = outputs_up_to(",
        f"{_OUTPUTS}::test_nothing_is_removed_when_the_catalog_went_back_in_time",
    ),
    Case(
        "F14",
        (
            Edit(_TRIES, "        except CommitFailedException:\n", "        except Exception:\n"),
            Edit(_TRIES, "            if _is_later(view, each.base):\n", "            if view is not each.base:\n"),
        ),
        (
            f"{_RACES}::test_nothing_is_deleted_while_an_outcome_is_unknown",
            f"{_FAULTS}::test_output_of_a_commit_that_may_still_land_is_never_removed",
        ),
    ),
    _case(
        "I5",
        "engine/services/operations/rewrite/commits.py",
        "            if not self._attempt.run.unsettled.issuperset(ordinals):\n",
        "            if False and ordinals:\n",
        "tests/integration/rewrites/test_unsent.py::test_a_crash_after_the_mark_leaves_the_outcome_to_the_table",
        f"{_FAULTS}::test_a_cancelled_run_ends_only_when_no_commit_of_it_can_land_any_more",
    ),
    _case(
        "F15",
        "engine/spark/dispatch.py",
        "tags=tags, operation_id=ticket.operation_id):",
        "tags=tags, operation_id=str(uuid.uuid4())):",
        "tests/contract/test_dispatch.py::test_an_operation_is_sent_once",
    ),
    _case(
        "F18",
        "engine/services/operations/rewrite/decisions.py",
        "    wait = timedelta(seconds=doubled(BACKOFF_SECONDS, failures))",
        "    wait = timedelta(0)",
        f"{_FAULTS}::test_a_lost_race_makes_the_run_wait_before_it_tries_again",
    ),
    _case(
        "F19",
        "engine/planning/measures/partition_metrics.py",
        "count[at] = figures.delete_files.get(key, 0)",
        "count[at] = 0",
        f"{_METRICS}::test_delete_files_are_those_of_the_partition_and_rows_that_deletes_may_hide",
    ),
    _case(
        "F20",
        "engine/rewriting/kernel/task.py",
        "rows_deleted=deletes.count())",
        "rows_deleted=0)",
        f"{_SEEN}::test_f20_f22_a_single_file_over_the_delete_ratio_is_rewritten_and_its_rows_add_up",
    ),
    _case(
        "F21",
        "engine/formats/iceberg/metadata/eligibility.py",
        'return Condition("no_equality_deletes", count == 0, detail)',
        'return Condition("no_equality_deletes", True, detail)',
        "tests/integration/iceberg/test_eligibility.py::test_live_equality_deletes_refuse_the_table_and_are_counted",
    ),
    _case(
        "F22",
        "engine/planning/plans/candidates.py",
        "by_ratio = files.deleted_rows >= limits.delete_ratio * files.record_count",
        "by_ratio = np.zeros(len(files.deleted_rows), dtype=np.bool_)",
        f"{_SEEN}::test_f20_f22_a_single_file_over_the_delete_ratio_is_rewritten_and_its_rows_add_up",
    ),
    Case(
        "F23",
        (
            Edit(
                "engine/planning/plans/file_groups.py",
                "return [candidate for candidate in bins if candidate.is_worth_it]",
                "return bins",
            ),
            Edit(
                "engine/planning/plans/candidates.py",
                "taken = (count > 0) & is_enough & (has_forced | (count > outputs))",
                "taken = count > 0",
            ),
        ),
        (
            "tests/unit/planning/test_file_groups.py::test_rewriting_again_and_again_comes_to_an_end",
            f"{_SEEN}::test_f23_what_was_rewritten_is_not_rewritten_again",
        ),
    ),
    _case(
        "F26",
        "engine/rewriting/kernel/writing/layout.py",
        "stored = MIN_ROW_GROUP_BYTES / self._stored_per_row if self._stored_per_row else 0.0",
        "stored = 0.0",
        "tests/unit/kernel/test_layout.py::test_a_row_group_is_64_mib_or_the_file",
    ),
    _case(
        "F27",
        "engine/formats/iceberg/removal/outputs.py",
        "        for snapshot in view.metadata.snapshots\n",
        "        for snapshot in [view.head]\n",
        f"{_OUTPUTS}::test_files_of_snapshots_off_the_main_branch_are_never_removed",
    ),
    _case(
        "F40",
        "engine/formats/iceberg/statistics/bounds.py",
        "return lower if least else None, upper if greatest or has_plus_zero else None",
        "return lower, upper",
        f"{_STATISTICS}::test_f40_a_zero_is_a_bound_only_as_the_greatest_value_and_if_rows_have_it",
    ),
    _case(
        "F40",
        "engine/rewriting/kernel/parquet/chunk_statistics.py",
        "return {key: value for key, value in found.items() if key not in inexact}",
        "return found",
        "tests/unit/kernel/test_chunk_statistics.py::test_f40_bounds_of_floats_are_called_exact_only_if_they_answer_min_and_max",
    ),
    _case(
        "F39",
        "engine/formats/iceberg/metadata/lineages.py",
        "at = parent_id if parent_id in self._by_id else self._links.get(at)",
        "at = parent_id",
        f"{_LINEAGES}::test_f39_expiry_after_the_deletion_of_old_copies_keeps_as_many_as_it_promises",
    ),
    Case(
        "F28",
        (
            Edit(
                "engine/formats/iceberg/statistics/bounds.py",
                "return _packed(value or 0.0, of)",
                "return _packed(value or -0.0, of)",
            ),
            Edit(
                "engine/formats/iceberg/statistics/enclosure.py",
                "in unenclosed(outputs, footers, inputs, schema=schema, same_rows=same_rows):",
                "in list[tuple[int, str]]():",
            ),
        ),
        (
            f"{_STATISTICS}::test_f40_a_zero_is_a_bound_only_as_the_greatest_value_and_if_rows_have_it",
            "tests/integration/iceberg/test_enclosure.py::test_a_bound_inside_the_statistics_of_its_footer_is_found_and_dropped",
        ),
    ),
    _case(
        "F28",
        "engine/formats/iceberg/commits/producer.py",
        "widen_zeros(manifest.partitions or (), self.view.codecs[spec_id].types)",
        "pass",
        "tests/integration/iceberg/test_enclosure.py::test_partition_summaries_of_manifests_enclose_both_zeros",
    ),
    _case(
        "F28",
        "engine/formats/iceberg/manifests/summaries.py",
        "parts[uuid_signs(entry.data_file.partition, positions)].append(entry)",
        "parts[()].append(entry)",
        "tests/spark/test_partition_bounds_peer.py::test_rows_of_every_partition_are_found_after_a_rewrite",
    ),
    Case(
        "F28",
        (
            Edit(
                "engine/formats/iceberg/statistics/entries.py",
                "else check_partition(codec, output, footer)",
                "else partition_of(codec, output)",
            ),
            Edit(
                "engine/formats/iceberg/statistics/entries.py",
                "import check_partition",
                "import check_partition, partition_of",
            ),
        ),
        (f"{_MOVES}::test_a_null_in_a_partition_of_a_value_is_never_committed",),
    ),
    _case(
        "F36",
        "engine/formats/hive/rewrite/tasks.py",
        "_check_defaults(view, group, readable)",
        "pass",
        f"{_OUTSIDE}::test_f36_files_without_a_column_that_has_a_default_in_spark_are_not_merged_with_others",
    ),
    _case(
        "F37",
        "engine/formats/hive/metadata/tables.py",
        " or self.spark.buckets",
        "",
        f"{_OUTSIDE}::test_f37_buckets_of_spark_are_not_merged",
    ),
    _case(
        "F38",
        "engine/formats/hive/metadata/tables.py",
        "self.storage.input_format not in INPUT_FORMATS",
        "_PARQUET not in self.storage.input_format.lower()",
        f"{_OUTSIDE}::test_f38_the_input_formats_of_other_table_formats_are_not_parquets",
    ),
    _case(
        "F38",
        "engine/formats/hive/refusals.py",
        "in _marked(partitions, listing):",
        "in ():",
        f"{_OUTSIDE}::test_f38_metadata_of_another_format_in_the_location_is_found_at_each_look",
        f"{_OUTSIDE}::test_f38_metadata_of_another_format_in_one_partition_concerns_that_one",
    ),
    _case(
        "F43",
        "engine/formats/iceberg/removal/orphan_files.py",
        "return of_kinds(shown, kinds, refused)",
        "return shown",
        f"{_ORPHANS}::test_f43_only_files_in_the_tables_folders_with_names_of_its_writers_go",
    ),
    _case(
        "F43",
        "engine/formats/iceberg/removal/orphan_checks.py",
        "found.tables.check(view.metadata.location, own, scope.others)",
        "pass",
        f"{_ORPHANS}::test_f43_a_location_with_another_formats_table_is_refused",
    ),
    _case(
        "F43",
        "engine/services/operations/metadata/file_removal.py",
        "            await self._check_alone()\n            if",
        "            if",
        "tests/integration/rewrites/test_enclosing_tables.py::test_f43_an_enclosed_table_stops_every_deletion",
    ),
    _case(
        "F45",
        "engine/formats/intake/parameters.py",
        "if is_declared and (found is None or found.can_be_declared):",
        "if found is None or (is_declared and found.can_be_declared):",
        f"{_OUTSIDE}::test_f45_a_table_is_rewritten_only_if_every_parameter_is_known",
    ),
    _case(
        "F45",
        "engine/formats/paimon/view.py",
        "return problems_of(work, given, location=location, meaningless=self.meaningless)",
        "return ()",
        "tests/integration/paimon/test_options.py::test_f45_an_option_that_is_not_listed_forbids_every_operation",
    ),
    _case(
        "F47",
        "engine/services/operations/rewrite/decisions.py",
        "if broken and not (committed and is_refused):",
        "if broken:",
        f"{_FAULTS}::test_f47_a_spoiled_input_is_left_out_and_spares_the_others",
    ),
    _case(
        "F47",
        "engine/planning/plans/candidates.py",
        " | has_outside | files.is_refused",
        " | has_outside",
        "tests/integration/hive/test_left_out.py::test_f47_odd_partitions_are_left_out_and_the_others_are_rewritten",
    ),
    _case(
        "F50",
        "engine/formats/hive/metadata/parameters.py",
        'as after a rewrite",\n        *(("false",),',
        'as after a rewrite",\n        *(("false", "true"),',
        f"{_OUTSIDE}::test_f45_a_table_is_rewritten_only_if_every_parameter_is_known",
    ),
    _case(
        "F51",
        "engine/formats/iceberg/catalog/objects.py",
        "class _Reading(RawIOBase):",
        "class _Reading:",
        "tests/unit/kernel/test_object_stores.py::test_f51_a_stored_object_is_a_whole_file_for_every_reader",
        "tests/integration/storage/test_every_operation.py::test_f51_iceberg_tables",
    ),
    _case(
        "F51",
        "engine/formats/intake/errors.py",
        "PackhouseError | OSError | EOFError) or is_own_fault(error):",
        "PackhouseError | OSError | EOFError):",
        "tests/unit/test_own_faults.py::test_f51_our_own_fault_passes_each_translation_unchanged",
        "tests/integration/iceberg/test_delete_rewrites.py::test_f51_a_fault_of_ours_is_no_damage_of_a_file",
    ),
    _case(
        "F51",
        "engine/services/operations/metadata/snapshots.py",
        "if self._left_out.errors:",
        "if False:",
        "tests/integration/rewrites/test_snapshot_rewrites.py"
        "::test_f51_a_run_that_left_out_every_file_for_an_error_has_not_succeeded",
    ),
    _case(
        "F30",
        "engine/formats/removal/scopes.py",
        "(OUTSIDE, UNCLEAR, OF_OTHERS, LINKED, PROTECTED)",
        "(OUTSIDE, UNCLEAR, OF_OTHERS, PROTECTED)",
        "tests/integration/iceberg/test_hostile_deletions.py"
        "::test_f30_a_folder_that_is_a_link_deletes_no_file_of_another_table",
    ),
    _case(
        "F30",
        "engine/services/operations/metadata/file_removal.py",
        "await check_alone(unit, *registered, present=self._table.location)",
        "await check_alone(unit, *registered)",
        "tests/integration/rewrites/test_enclosing_tables.py"
        "::test_f30_a_table_that_was_moved_to_files_of_another_deletes_none",
    ),
    _case(
        "F46",
        "engine/sql/addresses.py",
        "            check(address)\n",
        "            pass\n",
        "tests/integration/sql/test_servers.py"
        "::test_f46_a_name_that_resolves_to_this_machine_at_the_connect_is_refused",
    ),
    _case(
        "F46",
        "engine/services/catalogs/addresses.py",
        '(_SCHEME.match(bare) and matched["scheme"] is None)',
        "False",
        "tests/unit/services/test_addresses.py::test_f46_an_address_that_parsers_read_differently_is_refused",
    ),
    _case(
        "F63",
        "engine/uris/locations.py",
        "path = unquote(path)",
        "break",
        "tests/unit/uris/test_locations.py::test_f63_locations_that_some_client_reads_as_one_overlap",
    ),
    _case(
        "F53",
        "engine/stores/watching/outages.py",
        "and_(outages.c.key == SPARK, runs.c.operation.in_(sorted(OF_SPARK)), _is_lone())",
        "outages.c.key == SPARK",
        f"{_OUTAGES}::test_f53_work_that_needs_no_spark_is_done_while_spark_is_away",
    ),
    _case(
        "F53",
        "engine/services/fleet/health.py",
        "self._ask(name, self._unless_away(name, probe), required=False)",
        "self._ask(name, probe, required=False)",
        f"{_OUTAGES}::test_f53_readiness_stays_degraded_until_the_runs_that_waited_are_released",
    ),
    _case(
        "F53",
        "engine/services/operations/metadata/snapshots.py",
        "await self._read_outcome(unknown, self._has_committed)",
        "raise",
        "tests/integration/rewrites/test_snapshot_rewrites.py"
        "::test_f53_a_lost_answer_is_a_failed_attempt_only_if_the_table_is_as_before",
    ),
    _case(
        "F53",
        "engine/formats/removal/deletions.py",
        'gone.filter(pa.array(seen.add(keys_of(gone["path"]))))',
        "gone",
        "tests/integration/hive/test_deletion_figures.py"
        "::test_f53_a_deletion_that_was_interrupted_three_times_counts_each_file_once",
    ),
    _case(
        "F54",
        "engine/domain/fleet/processes.py",
        "all(self.live.get(kind, 0) for kind in ProcessKind)",
        "True",
        "tests/integration/api/test_operations.py"
        "::test_f54_readiness_is_degraded_without_a_live_worker_and_tells_who_is_alive",
    ),
    _case(
        "F33",
        "engine/queue/streams.py",
        "if not _RUN_ID.fullmatch(run_id):",
        "if not run_id:",
        "tests/integration/queue/test_foreign_content.py"
        "::test_f33_a_malformed_entry_is_a_dead_letter_and_spares_the_others",
    ),
    _case(
        "F34",
        "api/http/bodies.py",
        '_check_values(body, MAX_VALUES_AT.get(scope["path"], MAX_VALUES))',
        "pass",
        "tests/integration/api/test_bad_requests.py"
        "::test_f34_a_body_of_more_values_than_any_request_has_is_refused_before_it_is_parsed",
    ),
)
