"""F63: all spellings of a location have one canonical form, by which allow-lists and overlaps compare them."""

import re

import pytest

from engine.services.catalogs.places import Place

ONE_PLACE = (
    ("s3://lake/a/b", "s3a://lake/a/b/", "S3N://Lake//a///b"),
    ("gs://lake/a", "gcs://lake/a/"),
    ("abfss://c@acct.dfs.core.windows.net/a", "wasbs://c@acct.blob.core.windows.net/a", "ABFS://c@ACCT.dfs.core.windows.net//a"),
    ("/srv/lake", "file:/srv/lake", "file:///srv//lake/", "FILE://localhost/srv/lake"),
)  # fmt: skip


@pytest.mark.parametrize("spellings", ONE_PLACE)
def test_f63_all_spellings_of_a_location_are_one_place(spellings: tuple[str, ...]) -> None:
    places = [Place.of(each) for each in spellings]
    assert places[0] is not None
    assert set(places) == {places[0]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://lake/a", "s3a://LAKE/a/b"),
        ("s3://lake/a%20b", "s3://lake/a b/c"),
        ("s3://lake/a%2Fb", "s3://lake/a"),
        ("s3://lake/a%252Fb", "s3://lake/a/b"),
        ("s3://lake", "s3://lake/a"),
        ("abfss://c/a", "abfss://c@acct.dfs.core.windows.net/a"),
    ],
)
def test_f63_locations_that_some_client_reads_as_one_overlap(one: str, other: str) -> None:
    here, there = Place.of(one), Place.of(other)
    assert here is not None
    assert there is not None
    assert here.overlaps(there)
    assert there.overlaps(here)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("s3://lake/a", "s3://lake/ab"),
        ("s3://lake/a", "s3://lake/A"),
        ("s3://lake/a", "gs://lake/a"),
        ("s3://lake/a", "s3://lake2/a"),
        ("abfss://c@acct.dfs.core.windows.net/a", "abfss://c@other.dfs.core.windows.net/a"),
        ("/lake/a", "s3://lake/a"),
    ],
)
def test_other_locations_do_not_overlap(one: str, other: str) -> None:
    here, there = Place.of(one), Place.of(other)
    assert here is not None
    assert there is not None
    assert not here.overlaps(there)


def test_an_allowed_location_does_not_cover_one_that_only_decoders_read_below_it() -> None:
    allowed, location = Place.of("s3://lake/a"), Place.of("s3://lake/a%2Fb")
    assert allowed is not None
    assert location is not None
    assert not allowed.covers(location)


@pytest.mark.parametrize("location", ["", "lake/a", "file://host/a", "s3:///a"])
def test_what_is_no_absolute_location_has_no_form(location: str) -> None:
    assert Place.of(location) is None


@pytest.mark.parametrize(
    ("location", "near", "far"),
    [
        ("s3a://Lake/a_b/c", ("s3://lake/a_b/c", "s3://lake/a_b/c/d", "s3://lake", "s3n://lake/a_b/"), "s3://lake/axb/c"),
        ("/srv/lake", ("file:/srv/lake/x", "/srv", "/srv/lake"), "/srv/lakes"),
        ("wasb://c@a.blob.x/t", ("abfss://c@a.dfs.x/t/u", "abfss://c/t"), "abfss://d@a.dfs.x/t"),
    ],
)  # fmt: skip
def test_patterns_match_every_overlapping_location(location: str, near: tuple[str, ...], far: str) -> None:
    place = Place.of(location)
    assert place is not None
    expressions = [re.compile(_as_expression(each.lower())) for each in place.patterns()]
    for each in near:
        spelt = re.sub("/+", "/", each.lower())
        assert any(found.fullmatch(spelt) for found in expressions), each
    assert not any(found.fullmatch(re.sub("/+", "/", far)) for found in expressions)


def _as_expression(pattern: str) -> str:
    return re.sub(r"\\\\(.)|%", lambda found: ".*" if found[0] == "%" else re.escape(found[1]), re.escape(pattern))
