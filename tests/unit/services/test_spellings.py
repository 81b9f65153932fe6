"""All spellings of a location and of the folders around it."""

import pytest

from engine.services.catalogs.locations import Spellings


def test_folders_of_buckets_have_the_spellings_of_their_scheme_local_ones_three_and_the_root_none() -> None:
    found = Spellings.of("s3a://lake/a/b/")
    assert set(found.own) == {"s3://lake/a/b", "s3a://lake/a/b", "s3n://lake/a/b"}
    assert {each for each in found.around if each.startswith("s3:")} == {"s3://lake", "s3://lake/a"}
    found = Spellings.of("file:///srv/lake")
    assert set(found.own) == {"/srv/lake", "file:/srv/lake", "file:///srv/lake"}
    assert set(found.around) == {"/srv", "file:/srv", "file:///srv"}


@pytest.mark.parametrize("location", ["", "lake/a", "file://host/a"])
def test_what_is_no_absolute_place_has_none(location: str) -> None:
    assert Spellings.of(location) == Spellings((), ())
