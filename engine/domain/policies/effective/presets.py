"""Presets: named base policies, each with the source of its figures. A policy's own settings override them.

A preset's document contains only settings that its source states or requires; all others stay at the built-in
defaults. `summary` describes statements of the source that are not settings of a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.domain.policies.documents.document import PolicyDocument, PresetName


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset. `source` names where its figures come from."""

    name: PresetName
    summary: str
    source: str
    document: PolicyDocument


def _preset(name: PresetName, *, summary: str, source: str, document: Mapping[str, Any]) -> Preset:
    return Preset(name, summary, source, PolicyDocument.model_validate(document))


def _rule(name: str, *conditions: tuple[str, str, Any], input_changed: bool = False) -> dict[str, Any]:
    found = [{"metric": metric, operator: value} for metric, operator, value in conditions]
    return {"name": name, "all": found, "input_changed": input_changed}


_SMALL_ON_AVERAGE: Final = ("average_file_bytes", "below", "32MB")

_SETTLED: Final = ("newest_file_age", "at_least", "1h")
_GROWN: Final = ("largest_small_file_share", "at_most", 0.5)
"""At least half of the bytes to merge are outside the file that the last rewrite left: each rewrite doubles it."""


def _too_many_runs(trigger: int) -> dict[str, Any]:
    """Return the rule that goes with a `sorted_run_trigger`. Tables without sorted runs are never due by it."""
    return _rule("too many sorted runs", ("sorted_run_count", "at_least", trigger))


def _by_sorted_runs(trigger: int, *, window: int, **key_tables: Any) -> dict[str, Any]:
    """Return settings and triggers of key tables by sorted runs, and of other tables by windows of neighbours."""
    return {
        "rewrite": {
            "strategy": "window",
            "small_file_bytes": "70%",
            "min_input_files": window,
            "order_bins_by": "arrival",
            "key_tables": {"sorted_run_trigger": trigger, **key_tables},
        },
        "triggers": [
            _too_many_runs(trigger),
            _rule("a window of small files", ("small_file_count", "at_least", window)),
        ],
        "schedule": {"min_interval": "1m"},
    }


_TOO_MANY_RUNS: Final = _too_many_runs(5)
"""The default of `rewrite.key_tables.sorted_run_trigger`."""

_BALANCED: Final = _preset(
    "balanced",
    summary="For tables without tuning. While files arrive, a partition is due at 20 small files that are a fifth of "
    "all its files, if the largest of them has at most half of their bytes; at 500 small files in any case. A "
    "partition without new files for 1 h is due at 5 small files under the same condition, and at 20 in any case. If "
    "200 files or more and 30 % of the table's files are avoidable, each such partition is due at 2. A bucket of a key "
    "table is due at 5 sorted runs. The target size is the table's own, or 128 MiB without one; at most one run starts "
    "in 10 minutes.",
    source="Packhouse's own figures, chosen by replays of eight write histories (docs/contributing/presets.md): "
    "avoidable files stay bounded, and each ingested byte is rewritten at most 2.5 times in a week; in a month 7 times "
    "where thousands of partitions get a file every two days.",
    document={
        "rewrite": {"min_input_files": 2},
        "schedule": {"min_interval": "10m"},
        "triggers": [
            _rule(
                "many small files",
                ("small_file_count", "at_least", 20),
                ("small_file_share", "at_least", 0.2),
                _GROWN,
            ),
            _rule("very many small files", ("small_file_count", "at_least", 500)),
            _rule("settled", ("small_file_count", "at_least", 5), _GROWN, _SETTLED),
            _rule("settled with many small files", ("small_file_count", "at_least", 20), _SETTLED),
            _rule(
                "many avoidable files in the table",
                ("avoidable_file_share", "at_least", 0.3),
                ("avoidable_file_count", "at_least", 200),
                ("small_file_count", "at_least", 2),
                _SETTLED,
            ),
            _TOO_MANY_RUNS,
        ],
    },
)

_UPSOLVER: Final = _preset(
    "upsolver",
    summary="Few, large files of about 500 MB (decimal). Partitions are rewritten when they have settled or have "
    "very many files. Replaced copies are deleted by a separate operation, `delete_old_compactions`, a day after the "
    "rewrite; the source names no time. The third rule also requires two files and a changed input, which the source "
    "does not: otherwise it would fire forever for a partition with one small file.",
    source="Upsolver, documentation, page 'Compaction Process': 'approximately 500MB each' and the section "
    "'Conditions That Trigger Compaction'.",
    document={
        "rewrite": {"target_file_bytes": "500MB", "min_input_files": 2},
        "triggers": [
            _rule("settled", ("file_count", "at_least", 60), _SMALL_ON_AVERAGE, ("newest_file_age", "above", "2d")),
            _rule("very many files", ("file_count", "at_least", 1000), _SMALL_ON_AVERAGE),
            _rule(
                "old",
                ("newest_file_age", "above", "35d"),
                _SMALL_ON_AVERAGE,
                ("file_count", "at_least", 2),
                input_changed=True,
            ),
        ],
        "maintenance": {"delete_old_compactions": {"grace": "1d"}},
    },
)

_ARTEMIS: Final = _preset(
    "artemis",
    summary="A shared archive that analysts query in the daytime: sealed partitions only (a partition without a time "
    "is rewritten beside its writers, once its oldest new small file is an hour old), 30 % of the bandwidth (set "
    "limits.available_bandwidth), no new rewrites from 09:00 to 17:00 UTC, slower rewrites while queries are "
    "slow, manifests merged each week, and sooner when there are more than 100 small ones. At most four file groups "
    "of the table are rewritten at once; the limit parallel_groups caps the whole fleet. A commit is tried at most 16 "
    "times, as with every preset. A group has up to 1 GiB of neighbours, in the order of their commits, where the "
    "source fills bins of one output from the largest file down (rewrite.order_bins_by: fill), and a commit can have "
    "groups of several partitions.",
    source="Lesson 'Compaction Strategies' (data lakes, module 6, the Artemis archive): sections 'The Small-File "
    "Problem at Scale' (32 MB, 128 MB, 1 GB), 'Bin-Packing' (bins of one file are dropped), 'Concurrent "
    "Compaction' (sealed days), 'Resource Budget and Pacing' and 'Compacting Manifests'. It names no figures "
    "for the seal's margin and for query latency: 1 h, and 2 s, 5 s, 1 s, half the budget, are Packhouse's.",
    document={
        "rewrite": {
            "target_file_bytes": "128MB",
            "small_file_bytes": "32MB",
            "large_file_bytes": "1GB",
            "min_input_files": 2,
        },
        "triggers": [_rule("small files in a sealed partition", ("small_file_count", "at_least", 2))],
        "seal": {"after": "1h"},
        "limits": {"share_percent": 30, "parallel_groups": 4},
        "quiet_hours": [{"from": "09:00", "to": "17:00", "time_zone": "UTC"}],
        "backoff": {
            "signal": "query_latency_p95",
            "throttle_above": "2s",
            "pause_above": "5s",
            "resume_below": "1s",
            "factor": 0.5,
        },
        "maintenance": {"rewrite_manifests": {"interval": "7d"}},
    },
)

_UNIVERSAL: Final = _by_sorted_runs(5, window=5)
_PAIMON_UNIVERSAL: Final = _preset(
    "paimon-universal",
    summary="Paimon's universal compaction: a bucket of a key table is due at 5 sorted runs (writers should slow down "
    "at 3 more), append files merge in windows of 5 neighbours, and files of at least 70 % of the target count as "
    "large. A run may start 1 minute after the one before, where Paimon's writers compact at each flush. Its size "
    "ratio of 1 % belongs to the format and is not a setting. `paimon-low-latency` and "
    "`paimon-write-heavy` are the same with fewer and with more sorted runs.",
    source="Apache Paimon (C++), documentation, page 'Compaction': compaction.min.file-num 5, "
    "num-sorted-run.compaction-trigger 5, num-sorted-run.stop-trigger + 3, full compaction only with more "
    "small than large files and 3 files; Paimon's core: compaction.max-size-amplification-percent 200, "
    "compaction.size-ratio 1, large = 0.7 of the target.",
    document={
        **_UNIVERSAL,
        "rewrite": {
            **_UNIVERSAL["rewrite"],
            "full": {
                "size_amplification_percent": 200,
                "eligibility": {"more_small_than_large": True, "min_files": 3},
            },
        },
    },
)

_TRADE_OFFS: Final = (
    "Apache Paimon (C++), documentation, page 'Compaction', sections 'Number of Sorted Runs to Pause Writing' and "
    "'Number of Sorted Runs to Trigger Compaction': "
)

_PAIMON_LOW_LATENCY: Final = _preset(
    "paimon-low-latency",
    summary="Key tables that are queried all the time: a bucket is due at 3 sorted runs (writers should slow down at "
    "3 more), and a run may start 1 minute after the one before. Readers merge few sorted runs and need little memory; "
    "compaction rewrites more bytes, and writers are asked to slow down earlier. New rows that wait for a compaction "
    "are read 1 minute after their commit, plus the time until the next look and that of the run.",
    source=f"{_TRADE_OFFS}fewer sorted runs make queries faster. The figures are Packhouse's.",
    document=_by_sorted_runs(3, window=5),
)

_PAIMON_WRITE_HEAVY: Final = _preset(
    "paimon-write-heavy",
    summary="Key tables that are written much and queried little: a bucket is due at 10 sorted runs, and writers "
    "should slow down at 20. New rows that wait for a compaction (deletion vectors, first row, changelog by lookup) "
    "are compacted gently: at 10 sorted runs, or after 20 commits. A run may start 1 minute after the one before. "
    "Set the table's option num-sorted-run.compaction-trigger to 10 too: with the levels of its default, 5, steady "
    "streams are rewritten far more often. Compaction then rewrites fewer bytes and writers seldom wait; readers merge "
    "more sorted runs and need more memory.",
    source=f"{_TRADE_OFFS}larger values make compactions and write stalls less frequent and need more memory and CPU "
    "time in queries; section 'Lookup Compaction': gentle. The figures are Packhouse's.",
    document=_by_sorted_runs(10, window=10, stop_trigger=20, lookup="lazy", forced_every=20),
)

_MAXCOMPUTE_TIERED: Final = _preset(
    "maxcompute-tiered",
    summary="Three tiers (below 16 MiB, below 128 MiB, finished); very large files and files far apart in time are "
    "left alone; buckets are rewritten in parallel; base files have separate rules (deletes, size "
    "amplification); history is kept for 7 days, and files that block its expiry are rewritten first. PURGE is "
    "an operation that is started on demand.",
    source="Alibaba Cloud MaxCompute, documentation, 'Architecture of the services that optimize data organization "
    "for Delta tables': 'Hierarchical merging' (level 0 to 1 to 2), 'Large file isolation', 'Time span "
    "limit', 'Concurrent execution', 'Compaction', 'Data reclamation'. It names no figures: all are "
    "Packhouse's.",
    document={
        "rewrite": {
            "strategy": "tiered",
            "target_file_bytes": "128MiB",
            "tiers": [{"below_bytes": "16MiB", "files": 8}, {"below_bytes": "128MiB", "files": 8}],
            "exclude_above_bytes": "1GiB",
            "max_time_span": "1d",
            "deletes": {"ratio": 0.1},
            "full": {"size_amplification_percent": 200},
        },
        "triggers": [
            _rule("a tier is full", ("small_file_count", "at_least", 8)),
            _rule("many deletes", ("delete_ratio", "at_least", 0.1)),
        ],
        "limits": {"parallel_groups": 4},
        "maintenance": {"reclaim": {"retention": "7d", "compact_blocking": True}},
    },
)

PRESETS: Final[Mapping[str, Preset]] = {
    preset.name: preset
    for preset in (
        *(_BALANCED, _UPSOLVER, _ARTEMIS),
        *(_PAIMON_UNIVERSAL, _PAIMON_LOW_LATENCY, _PAIMON_WRITE_HEAVY),
        _MAXCOMPUTE_TIERED,
    )
}
"""Presets by name."""
