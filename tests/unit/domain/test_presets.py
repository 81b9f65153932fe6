"""The presets say what their sources say."""

from typing import Any, get_args

import pytest

from engine.domain.policies import PRESETS, EffectivePolicy, PolicyDocument, contradictions, effective_policy
from engine.domain.policies.documents.document import PresetName

MIB, DAY = 2**20, 86_400
KEYS = "rewrite.key_tables"
TRIGGER = f"{KEYS}.sorted_run_trigger"


def with_preset(name: str, **own: Any) -> EffectivePolicy:
    document = PolicyDocument.model_validate({"preset": name, **own})
    return effective_policy(table_properties={}, own=document)


def rules(name: str) -> list[dict[str, Any]]:
    """The rules of a preset as comparisons in words."""
    return [
        {f"{condition.metric} {condition.operator}": condition.wanted for condition in rule.all}
        for rule in PRESETS[name].document.triggers or ()
    ]


def test_there_are_those_that_a_document_can_name() -> None:
    assert tuple(PRESETS) == get_args(PresetName)
    assert all(preset.summary and preset.source and preset.name == name for name, preset in PRESETS.items())


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_contradicts_itself_in_nothing_but_a_bandwidth_it_can_not_know(name: str) -> None:
    found = {problem.pointer for problem in contradictions(with_preset(name))}
    assert found == ({"/limits/available_bandwidth"} if name == "artemis" else set())


@pytest.mark.parametrize("name", list(PRESETS))
def test_no_preset_names_another(name: str) -> None:
    assert PRESETS[name].document.preset is None


def test_p25_balanced_is_due_at_twenty_small_files_that_are_a_fifth_and_doubled() -> None:
    many, very_many, *_ = rules("balanced")
    assert many == {
        "small_file_count at_least": 20,
        "small_file_share at_least": 0.2,
        "largest_small_file_share at_most": 0.5,
    }
    assert very_many == {"small_file_count at_least": 500}
    policy = effective_policy(table_properties={})
    assert policy.values["preset"] == "balanced"
    assert policy.values["rewrite.target_file_bytes"] == 128 * MIB
    assert policy.seconds_of("schedule.min_interval") == 600
    assert policy.origins["triggers"] == policy.origins["schedule.min_interval"] == "preset balanced"


def test_balanced_takes_few_small_files_once_a_partition_has_settled_and_leaves_the_target_to_the_table() -> None:
    settled, many, avoidable = rules("balanced")[2:5]
    assert settled == {
        "small_file_count at_least": 5,
        "largest_small_file_share at_most": 0.5,
        "newest_file_age at_least": 3600,
    }
    assert many == {"small_file_count at_least": 20, "newest_file_age at_least": 3600}
    assert avoidable == {
        "avoidable_file_share at_least": 0.3,
        "avoidable_file_count at_least": 200,
        "small_file_count at_least": 2,
        "newest_file_age at_least": 3600,
    }
    assert effective_policy(table_properties={}).values["rewrite.min_input_files"] == 2
    policy = effective_policy(table_properties={"rewrite.target_file_bytes": 512 * MIB})
    assert policy.values["rewrite.target_file_bytes"] == 512 * MIB
    assert policy.origins["rewrite.target_file_bytes"] == "table property"


def test_p24_balanced_takes_a_bucket_of_a_key_table_at_five_sorted_runs() -> None:
    """Small buckets never have twenty small files that are half of their bytes."""
    assert rules("balanced")[5:] == [{"sorted_run_count at_least": 5}]
    assert effective_policy(table_properties={}).values["rewrite.key_tables.sorted_run_trigger"] == 5


def test_u4_upsolver_wants_files_of_500_decimal_megabytes_whatever_the_table_says_unless_its_policy_does() -> None:
    policy = effective_policy(
        table_properties={"rewrite.target_file_bytes": 512 * MIB}, own=PolicyDocument(preset="upsolver")
    )
    assert policy.values["rewrite.target_file_bytes"] == 500_000_000
    assert policy.origins["rewrite.target_file_bytes"] == "preset upsolver"
    policy = with_preset("upsolver", rewrite={"target_file_bytes": "256MiB"})
    assert (policy.values["rewrite.target_file_bytes"], policy.values["rewrite.large_file_bytes"]) == (
        256 * MIB,
        256 * MIB * 180 // 100,
    )


def test_u14_u15_u16_upsolver_takes_sixty_settled_a_thousand_or_two_old_small_files() -> None:
    assert rules("upsolver")[0] == {
        "file_count at_least": 60,
        "average_file_bytes below": 32_000_000,
        "newest_file_age above": 2 * DAY,
    }
    assert rules("upsolver")[1] == {"file_count at_least": 1000, "average_file_bytes below": 32_000_000}
    assert rules("upsolver")[2] == {
        "newest_file_age above": 35 * DAY,
        "average_file_bytes below": 32_000_000,
        "file_count at_least": 2,
    }
    assert [rule.input_changed for rule in PRESETS["upsolver"].document.triggers or ()] == [False, False, True]


def test_l2_l16_l17_artemis_has_three_sizes_of_files_thirty_percent_of_what_is_there_and_four_groups_at_once() -> None:
    values = with_preset("artemis").values
    assert [values[f"rewrite.{name}_file_bytes"] for name in ("small", "target", "large")] == [
        32_000_000,
        128_000_000,
        1_000_000_000,
    ]
    policy = with_preset("artemis", limits={"available_bandwidth": "400MB"})
    assert policy.budget().bytes_per_second == 120_000_000
    assert contradictions(policy) == []
    assert with_preset("artemis").parallel_groups == 4


def test_l18_l21_artemis_drains_from_nine_to_five_utc_seals_backs_off_and_rewrites_manifests_each_week() -> None:
    assert with_preset("artemis").written()["quiet_hours"] == [
        {
            "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
            "from": "09:00",
            "to": "17:00",
            "time_zone": "UTC",
            "on_start": "drain",
        }
    ]
    written = with_preset("artemis").written()
    assert written["seal"] == {"after": "1h"}
    assert written["backoff"]["signal"] == "query_latency_p95"
    assert with_preset("artemis").written()["maintenance.rewrite_manifests"]["interval"] == "7d"


def test_p8_p13_p23_and_p24_paimon_merges_windows_of_five_files_below_seven_tenths_and_five_sorted_runs() -> None:
    values = with_preset("paimon-universal").values
    assert (values["rewrite.strategy"], values["rewrite.min_input_files"]) == ("window", 5)
    assert {"small_file_count at_least": 5} in rules("paimon-universal")
    policy = with_preset("paimon-universal", rewrite={"target_file_bytes": "256MiB"})
    assert policy.values["rewrite.small_file_bytes"] == 256 * MIB * 7 // 10
    assert policy.origins["rewrite.small_file_bytes"] == "preset paimon-universal"
    policy = with_preset("paimon-universal")
    assert policy.values["rewrite.key_tables.sorted_run_trigger"] == 5
    assert {"sorted_run_count at_least": 5} in rules("paimon-universal")


def test_p25_two_presets_have_fewer_and_more_sorted_runs_than_paimon_universal() -> None:
    names = ("paimon-low-latency", "paimon-universal", "paimon-write-heavy")
    bounds = [(with_preset(name).values[TRIGGER], with_preset(name).stop_trigger) for name in names]
    assert bounds == [(3, 6), (5, 8), (10, 20)]
    assert [rules(name)[0] for name in names] == [{"sorted_run_count at_least": trigger} for trigger, _ in bounds]
    gentle = with_preset("paimon-write-heavy").values
    assert (gentle[f"{KEYS}.lookup"], gentle[f"{KEYS}.forced_every"]) == ("lazy", 20)


def test_p11_p16_paimon_rewrites_in_full_at_twice_the_size_with_more_small_than_large_and_three_files() -> None:
    assert with_preset("paimon-universal").written()["rewrite.full.eligibility"] == {
        "more_small_than_large": True,
        "min_files": 3,
    }
    assert with_preset("paimon-universal").values["rewrite.full.size_amplification_percent"] == 200


def test_m3_m5_m6_m13_and_m17_maxcompute_has_three_tiers_leaves_large_files_and_far_ones_and_keeps_history() -> None:
    values = with_preset("maxcompute-tiered").values
    assert values["rewrite.strategy"] == "tiered"
    assert [(tier["below_bytes"], tier["files"]) for tier in values["rewrite.tiers"]] == [(16 * MIB, 8), (128 * MIB, 8)]
    assert values["rewrite.target_file_bytes"] == 128 * MIB
    policy = with_preset("maxcompute-tiered")
    assert policy.bytes_of("rewrite.exclude_above_bytes") == 2**30
    assert policy.seconds_of("rewrite.max_time_span") == DAY
    assert with_preset("maxcompute-tiered").written()["maintenance.reclaim"] == {
        "retention": "7d",
        "interval": "1d",
        "compact_blocking": True,
    }


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "maxcompute-tiered"])
def test_nothing_that_removes_files_is_on_by_default(name: str) -> None:
    values = with_preset(name).values
    assert {values[f"maintenance.{part}"] for part in ("expire_snapshots", "remove_orphans", "reclaim")} == {"off"}
