"""The sentences of explain's summary that distinguish a situation, for the situations without a golden text."""

from typing import Final

import pytest

from tests.unit.services.expected_sentences import check, told
from tests.unit.services.explanations import GOLDEN, SITUATIONS, sentences

_NEXT_LOOK: Final = "the next look at it is at 2026-11-21 12:01 UTC"
_DUE_BY_DEFAULT: Final = "Also due by 'settled' (2 partitions), 'settled with many small files' (2 partitions)"
_NO_RULE_NEEDED: Final = "a run by request needs none."

EXPECTED: Final = {
    "settles": told(
        f"A run starts automatically about 2026-11-21 12:30 UTC if nothing more is written; {_NEXT_LOOK}.",
        (
            "Rule 'settled' is not due: nearest is day=2026-11-19 with 12 files (12 MiB): "
            "newest_file_age 30m (wanted: at least 1h)."
        ),
        "Rule 'many small files' is not due",
        "3 more rules are not due.",
        f"To make it due sooner, change triggers in its policy (preset balanced); {_NO_RULE_NEEDED}",
        unsaid=("avoidable", "Sealed"),
    ),
    "never_rewritten_upsolver": told(
        f"A run starts automatically about 2026-12-25 06:00 UTC if nothing more is written; {_NEXT_LOOK}.",
        (
            "Rule 'old' is not due: nearest is day=2026-11-19 with 12 files (12 MiB): newest_file_age "
            "1d 6h (wanted: more than 35d)."
        ),
        "file_count 12 (wanted: at least 60), newest_file_age 1d 6h (wanted: more than 2d)",
        "18 below 358 MiB",
        f"To make it due sooner, change triggers in its policy (preset upsolver); {_NO_RULE_NEEDED}",
        unsaid=("more rule", "avoidable"),
    ),
    "due_later": told(
        f"A run starts automatically about 2026-11-22 06:00 UTC if nothing more is written; {_NEXT_LOOK}.",
        "newest_file_age 1d 6h (wanted: at least 2d)",
        f"To make it due sooner, change triggers in its policy (table); {_NO_RULE_NEEDED}",
        unsaid=("avoidable",),
    ),
    "no_triggers": told(
        "No run starts automatically: its policy has no rules.",
        "Its policy has no triggers: no rule ever makes it due.",
        "63 of its 65 files are avoidable and in 2 partitions that no rule makes due.",
        (
            "Add a rule to triggers (table), such as small_file_count at least 2 and newest_file_age at least 1h; "
            "a run by request needs none."
        ),
        unsaid=("Rule ", "To make it due sooner"),
    ),
    "empty": told(
        "lake.sales.orders is not due.",
        f"A run starts automatically once a rule is due; {_NEXT_LOOK}.",
        "A run now would find nothing to do: the table has no files.",
        "Rule 'many small files' is not due: the table has no files.",
        "3 more rules are not due.",
        unsaid=("on average", "To make it due sooner", "That time is"),
    ),
    "due_in_part": told(
        "71 files (71 MiB) in 3 groups into about 3",
        "Also due by 'settled' (3 partitions), 'settled with many small files' (2 partitions).",
        unsaid=("An automatic run would",),
    ),
    "due_in_full": told(
        "An automatic run would rewrite the due partitions in full: 65 files (65 MiB) in 2 groups.",
        f"{_DUE_BY_DEFAULT}, 'rewrite.full.interval' (2 partitions).",
    ),
    "after_lost_races": told(
        "85 files (1.43 GiB) in 13 groups",
        "1 partition of it in smaller file groups, after lost races.",
        unsaid=("cools down", "Its runs lost file groups"),
    ),
    "group_below_target": told(
        "It can be rewritten",
        (
            "File groups have the target size: rewrite.max_group_bytes is 16 MiB (table), below "
            "rewrite.target_file_bytes of 128 MiB (default)."
        ),
        "65 files (65 MiB) in 2 groups into about 2",
    ),
    "long_names": told(
        f"lake.{'n' * 30}…{'t' * 34} is due for a rewrite, and nothing holds it back.",
        (
            f"Rule '{'n' * 64}' makes 1 partition due: key={'ä' * 26}…{'ä' * 29} with 30 files (30 MiB): "
            "file_count 30 (wanted: at least 1)."
        ),
        unsaid=("Also due by",),
    ),
    "not_watched": told(
        (
            "No run starts automatically now: no coordinator watches tables (none runs, or PACKHOUSE_WATCH is "
            "off); submit one."
        ),
        unsaid=("A run starts automatically", "Held back"),
    ),
    "disabled": told(
        "No run starts automatically: its policy has enabled: false.",
        (
            "A run now would change nothing; if nothing prevented it, it would rewrite 65 files (65 MiB) in 2 "
            "groups into about 2."
        ),
        "Held back: its policy has enabled: false (origin: table; enabled: true allows runs).",
        unsaid=("That time is", "storage request"),
    ),
    "refused": told(
        "lake.sales.orders can't be rewritten in its current state.",
        "No run starts automatically: it does not meet a condition of the rewrite.",
        "It can't be rewritten: no equality deletes: 3 equality-delete files are live.",
        "A run now would change nothing; if nothing prevented it",
        unsaid=("It can be rewritten", "Held back"),
    ),
    "replaced": told(
        "lake.sales.orders can't be read now.",
        f"No run starts automatically until the table can be read: {_NEXT_LOOK}.",
        (
            "Table lake.sales.orders was dropped and created again: it is uuid-2 now and was uuid-1 when it was "
            "registered; no run changes it until its registration is deleted and it is registered again. The "
            "settings shown do not include the table's own properties."
        ),
        unsaid=("It was measured last", "Held back", "Rule ", "A run now"),
    ),
    "paused_catalog": told(
        "No run starts automatically: all tables of its catalog are paused.",
        "A run requested now would wait, then rewrite",
        (
            "Held back: all tables of its catalog are paused ('maintenance of the storage', by key:chief since "
            "2026-11-21 11:40 UTC; resuming the catalog ends it)."
        ),
        unsaid=("all tables are paused", "the table is paused"),
    ),
    "quiet_hours": told(
        "No run starts automatically before 2026-11-21 16:00 UTC: quiet hours.",
        "A run requested now would wait, then rewrite",
        "Held back until 2026-11-21 16:00 UTC: quiet hours sat 09:00-17:00 Europe/Berlin.",
        unsaid=("The next window",),
    ),
    "before_quiet_hours": told(
        "The next window in which no run starts begins at 2026-11-21 18:00 UTC.",
        "The next time of its schedule.cron is 2026-11-22 03:30 UTC.",
        unsaid=("Held back",),
    ),
    "blackout": told(
        "Held back until 2026-11-24 00:00 UTC: a blackout (year-end close).",
        unsaid=("The end of the blackout is not known", "The next window"),
    ),
    "new_table": told(
        "A run now would rewrite",
        (
            "Held back until 2026-11-21 12:11 UTC: it is newly registered (since 2026-11-21 12:00 UTC: time to "
            "check its plan and policy; a policy of its own, a requested run or resuming the table "
            "ends the wait)."
        ),
        unsaid=("would wait",),
    ),
    "catalog_fails": told(
        "A run now would rewrite",
        (
            "Held back until 2026-11-21 12:01 UTC: runs of several tables of its catalog failed in a row (the "
            "last one: too many attempts failed; resuming the catalog starts them at once)."
        ),
        unsaid=("would wait",),
    ),
    "catalog_full": told(
        "A run requested now would wait, then rewrite",
        (
            "Held back: its catalog's limit of parallel_runs is reached (2 of 2 in 'lake'; the next run starts "
            "when one ends, or after parallel_runs is raised in the limits)."
        ),
        unsaid=("No run starts automatically",),
    ),
    "budget_used": told(
        (
            "Held back until 2026-11-21 17:00 UTC: limits.bytes_per_day is used up (by then enough of the "
            "rewritten bytes are 24 hours old)."
        ),
        unsaid=("of limits.bytes_per_day",),
    ),
    "runs_in_vain": told(
        (
            "Held back until 2026-11-21 12:08 UTC: it rests after runs without effect (2 runs in a row, the last "
            "until 2026-11-21 11:58 UTC; resuming the table ends its rest)."
        ),
        "Its last run, run_7, failed at 2026-11-21 11:58 UTC",
    ),
    "failed": told(
        (
            "Its last run, run_7, failed at 2026-11-21 11:00 UTC: some of its file groups failed (1 of 2 groups "
            "failed: s3://lake/orders/data/1.parquet: access denied)."
        ),
        unsaid=("Held back", " and made "),
    ),
    "at_work": told(
        "A run requested now would wait, then rewrite",
        "Held back: a run of it is at work (run run_7 is rewriting).",
        "Run run_7 is rewriting, in attempt 2.",
        "No run of it has ended yet.",
    ),
    "urgent": told(
        "Held back: a run of it waits already (run run_7 goes first).",
        ("Run run_7 is queued for a worker, since 2026-11-21 10:00 UTC, and goes first from 2026-11-21 11:59 UTC on."),
    ),
}


def test_every_situation_has_a_golden_text_or_its_sentences():
    assert sorted([*GOLDEN, *EXPECTED]) == sorted(SITUATIONS)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_situation_has_its_sentences(name: str):
    check(sentences(SITUATIONS[name]()), EXPECTED[name])
