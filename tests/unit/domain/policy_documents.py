"""Hypothesis strategies for policies as people write them: any part absent, sizes and durations in any form."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from engine.domain.policies import PRESETS, Metric, MetricKind
from engine.domain.policies.documents.fields import MAX_BYTES
from engine.domain.policies.documents.maintenance import ORPHAN_METRICS, WHEN_METRICS
from engine.domain.values.units import DURATION_UNITS, SIZE_UNITS

Written = st.SearchStrategy[Any]
_YEAR_2020, _YEAR_2030 = datetime(2020, 1, 1), datetime(2030, 1, 1)  # noqa: DTZ001 - written without a zone


def part(**optional: Written) -> Written:
    """An object with any of the fields."""
    return st.fixed_dictionaries({}, optional=optional)


def or_word(word: str, value: Written) -> Written:
    return st.just(word) | value


def sizes(least: int = 1, most: int = MAX_BYTES) -> Written:
    """Bytes between two bounds, as an integer or with a unit."""

    def written(size: int) -> Written:
        whole = [unit for unit, bytes_ in SIZE_UNITS.items() if size % bytes_ == 0]
        return st.sampled_from(whole).map(lambda unit: f"{size // SIZE_UNITS[unit]}{unit}")

    exact = st.integers(least, most)
    round_ones = st.sampled_from([size for size in (2**20, 10**8, 2**27, 2**30, 10**10) if least <= size <= most])
    return (exact | round_ones).flatmap(lambda size: st.just(size) | written(size))


def durations(least: int = 1, most: int = 86_400 * 365) -> Written:
    """Seconds between two bounds, in the short form or as ISO 8601."""

    def written(seconds: int) -> Written:
        whole = [unit for unit, length in DURATION_UNITS.items() if seconds % length == 0]
        short = st.sampled_from(whole).map(lambda unit: f"{seconds // DURATION_UNITS[unit]}{unit}")
        return short | st.just(f"PT{seconds}S")

    return st.integers(least, most).flatmap(written)


texts = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
clocks = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda at: f"{at[0]:02}:{at[1]:02}")
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
on_starts = st.sampled_from(["drain", "interrupt", "finish"])
days = st.lists(st.sampled_from(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), min_size=1, unique=True)

quiet_hours = st.fixed_dictionaries(
    {"from": clocks, "to": clocks}, optional={"days": days, "time_zone": zones, "on_start": on_starts}
)


@st.composite
def blackouts(draw: st.DrawFn) -> dict[str, Any]:
    begin, end = sorted(
        draw(st.lists(st.datetimes(_YEAR_2020, _YEAR_2030), min_size=2, max_size=2, unique_by=lambda at: at.minute))
    )
    local = draw(st.booleans())
    suffix = "" if local else draw(st.sampled_from(["Z", "+02:00", "-09:30"]))
    written = {name: at.isoformat(timespec="minutes") + suffix for name, at in (("from", begin), ("to", end))}
    return written | {"reason": draw(texts)} | ({"time_zone": draw(zones)} if local else {})


OPERANDS: dict[MetricKind, Written] = {
    MetricKind.COUNT: st.integers(0, 10**9),
    MetricKind.RATIO: st.floats(0, 1),
    MetricKind.SIZE: sizes(),
    MetricKind.DURATION: durations(),
}


OF_REWRITES = tuple(metric for metric in Metric if metric is not Metric.UNREFERENCED_BYTES)


@st.composite
def conditions(draw: st.DrawFn, metrics: Sequence[Metric] = OF_REWRITES) -> dict[str, Any]:
    metric = draw(st.sampled_from(metrics))
    operator = draw(st.sampled_from(["at_least", "above", "at_most", "below"]))
    return {"metric": metric.value, operator: draw(OPERANDS[metric.kind])}


def junctions(members: Written) -> Written:
    several = st.lists(members, min_size=1, max_size=3)
    joined = [several.map(lambda found, word=word: {word: found}) for word in ("all", "any")]
    return st.one_of(*joined, members.map(lambda member: {"not": member}))


rules = st.builds(
    lambda named, joined: named | joined,
    st.fixed_dictionaries(
        {"name": st.from_regex(r"[a-z]{1,9}", fullmatch=True)}, optional={"input_changed": st.booleans()}
    ),
    junctions(conditions() | junctions(conditions())),
)
backoffs = st.lists(st.integers(1, 900), min_size=3, max_size=3, unique=True).map(
    lambda seconds: {
        "signal": "query_latency_p95",
        **dict(zip(("resume_below", "throttle_above", "pause_above"), (f"{s}s" for s in sorted(seconds)), strict=True)),
    }
)
tiers = st.lists(st.integers(1, 2**40), min_size=1, max_size=4, unique=True).map(
    lambda bounds: [{"below_bytes": bound, "files": 8} for bound in sorted(bounds)]
)
columns = st.lists(texts, max_size=3, unique=True).flatmap(
    lambda names: st.tuples(
        *(
            st.just(name)
            | part(direction=st.sampled_from(["asc", "desc"])).map(lambda rest, name=name: {"name": name, **rest})
            for name in names
        )
    ).map(list)
)
shares = st.integers(1, 1000).map(lambda percent: f"{percent}%")

rewrites = part(
    strategy=st.sampled_from(["binpack", "sort", "zorder", "hilbert", "tiered", "window"]),
    columns=columns,
    target_file_bytes=sizes(2**20, 2**34),
    small_file_bytes=sizes() | shares,
    large_file_bytes=or_word("off", sizes() | shares),
    small_row_group_bytes=or_word("off", sizes(65_536, 2**23)),
    exclude_above_bytes=or_word("off", sizes()),
    min_input_files=st.integers(2, 10_000),
    max_ordered_bytes=sizes(2**20, 2**40),
    max_time_span=or_word("off", durations()),
    order_bins_by=st.sampled_from(["locality", "fill", "arrival"]),
    deletes=part(files=st.integers(1, 9), ratio=st.floats(0.01, 1)),
    full=part(
        interval=or_word("off", durations()),
        size_amplification_percent=or_word("off", st.integers(1, 1000)),
        eligibility=or_word("off", part(min_files=st.integers(2, 9))),
    ),
    key_tables=part(
        sorted_run_trigger=st.integers(2, 9), stop_trigger=st.integers(9, 20), lookup=st.sampled_from(["eager", "lazy"])
    ),
    key=or_word("off", st.just({"columns": ["id"], "version": "at", "deleted": "gone"})),
    tiers=tiers,
    compression=st.sampled_from(["zstd:3", "snappy", "gzip"]),
)
limits = part(
    bandwidth=or_word("unlimited", sizes(65_536, 2**40)),
    requests=or_word("unlimited", st.integers(1, 10**6)),
    share_percent=or_word("off", st.floats(1, 100)),
    parallel_groups=st.integers(1, 64),
)
orphan_conditions = st.lists(conditions(ORPHAN_METRICS), min_size=1, max_size=3)
upkeep_conditions = st.lists(conditions(WHEN_METRICS), min_size=1, max_size=3)
maintenance = part(
    rewrite_deletes=or_word("off", part(interval=durations(), at_least_files=st.integers(1, 1000))),
    rewrite_manifests=or_word("off", part(interval=durations(), when=upkeep_conditions)),
    expire_snapshots=or_word("off", durations().map(lambda older: {"older_than": older})),
    remove_orphans=or_word(
        "off", part(older_than=durations(86_400), inventory=st.just("s3://inventories/lake"), when=orphan_conditions)
    ),
    reclaim=or_word("off", durations().map(lambda kept: {"retention": kept})),
)
documents = part(
    enabled=st.booleans(),
    preset=st.sampled_from(sorted(PRESETS)),
    rewrite=rewrites,
    triggers=st.lists(rules, max_size=3, unique_by=lambda rule: rule["name"]),
    seal=or_word("off", durations().flatmap(lambda d: st.sampled_from([{"after": d}, {"quiet_for": d}]))),
    schedule=part(
        min_interval=durations(0),
        cron=st.sampled_from(["off", "0 2 * * *", "*/15 8-18 * * 1-5"]),
        time_zone=zones,
        urgent_after=or_word("off", durations()),
    ),
    limits=limits,
    quiet_hours=st.lists(quiet_hours, max_size=3),
    blackouts=st.lists(blackouts(), max_size=2),
    backoff=or_word("off", backoffs),
    priority=st.sampled_from(["low", "normal", "high"]),
    verification=st.sampled_from(["metadata", "sample", "content"]),
    maintenance=maintenance,
)
"""Whole policies."""
