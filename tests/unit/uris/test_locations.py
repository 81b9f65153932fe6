"""F63: all spellings of a location have one canonical form, by which allow-lists, overlaps and scopes compare them."""

import re
from itertools import product

import pytest

from engine.rewriting.kernel.storage.places import AllowedFolders, OtherFolders
from engine.services.catalogs.locations import ANYWHERE
from engine.services.catalogs.neighbours import patterns_of
from engine.uris.locations import UNCLEAR, Location

ONE_LOCATION = {
    "s3://lake/a/b": ("s3a://lake/a/b/", "S3N://lake/a/b"),
    "s3://Lake/a": ("s3a://Lake/a",),
    "s3://lake/a//b": ("s3a://lake/a//b//",),
    "s3://lake/a%20b": ("s3n://lake/a%20b",),
    "s3://lake": ("S3://lake/", "s3://lake//"),
    "gs://lake/a": ("gcs://LAKE/a/",),
    "abfs://c@acct.core.windows.net/a": (
        *("abfss://c@acct.dfs.core.windows.net/a", "wasb://c@acct.blob.core.windows.net/a/"),
        *("ABFSS://C@ACCT.dfs.core.windows.net./a", "wasbs://c@acct.blob.core.windows.net:443/a"),
    ),
    "abfs://c/a": ("abfss://c/a", "wasbs://C/a"),
    "hdfs://nn/wh/orders": (
        *("hdfs://NN:8020/wh/orders", "hdfs://nn./wh/orders/", "HDFS://nn:08020//wh///orders", "hdfs://nn:/wh/orders"),
    ),
    "hdfs:///wh": ("hdfs:///wh/",),
    "hdfs://nn:9000/wh": ("hdfs://NN.:9000/wh",),
    "hdfs://10.0.0.5/wh": ("hdfs://10.0.0.5:8020/wh", "hdfs://0xa.5/wh", "hdfs://[::ffff:10.0.0.5]/wh"),
    "hdfs://[2001:db8::1]/wh": ("hdfs://[2001:DB8:0:0:0:0:0:1]:8020/wh",),
    "hdfs://nameservice1/wh": ("hdfs://NameService1/wh/",),
    "hdfs://xn--bcher-kva.example/wh": ("hdfs://XN--bcher-kva.example:8020/wh",),
    "file:/srv/lake": ("/srv/lake", "file:///srv//lake/", "FILE:/srv/lake", "//////srv/lake".removeprefix("///")),
    "file:/": ("/", "file:///"),
}
DIFFERENT = (
    ("s3://lake/a", "s3://lake/ab", "s3://lake/A", "s3://lake2/a", "s3://lake//a", "s3://lake/a%2F", "s3://Lake/a"),
    ("s3://lake/a", "gs://lake/a", "oss://lake/a", "file:/lake/a", "hdfs://lake/a"),
    ("abfs://c@acct.core.windows.net/a", "abfs://c/a", "abfs://d@acct.core.windows.net/a", "abfs://c@other.x/a"),
    ("hdfs://nn/a", "hdfs://nn:9000/a", "hdfs://nn2/a", "hdfs://nn.example/a", "hdfs://nn/A", "hdfs://nn/a%20"),
    ("/srv/lake", "/srv/Lake", "/srv/lake2", "/srv/lake%20"),
)
NONE = (
    *("", "lake/a", "s3:/lake/a", "s3:///a", "s3://", "file:lake", "http://lake/a", " s3://lake/a"),
    *("file://host/a", "file://localhost/a", "//host/share", "viewfs://cluster/a", "viewfs:///a"),
    *("s3://me@lake/a", "s3://lake:80/a", "s3://l%61ke/a", "s3://lake\\@other/a", "s3://lake?x", "s3://lake#x"),
    *("s3://bücket/a", "s3://arn:aws:s3:eu-west-1:1:accesspoint/a", "gs://me@lake/a", "s3://" + 300 * "x"),
    *("abfss://c:p@acct.dfs.core.windows.net/a", "abfss://a@b@acct.x/a", "abfss://c@/a", "abfss://@acct.x/a"),
    *("hdfs://me@nn/a", "hdfs://n%6e/a", "hdfs://bücher/a", "hdfs://nn..x/a", "hdfs://nn:8020:1/a", "hdfs://::1/a"),
    *("hdfs://nn:99999999/a", "hdfs://[fe80::1%25eth0]/a", "hdfs://[::1/a", "hdfs://nn,nn2/a", "hdfs://\uff4en/a"),
    *("s3://lake/a/../b", "s3://lake/a/.", "hdfs://nn/%2e%2E/b", "/srv/%252e./b", "s3://lake/a\n", "/srv/a\\..\\b"),
)
OVERLAPPING = (
    ("hdfs://NN:8020/wh/orders/data", "hdfs://nn:8020/wh/orders"),
    ("hdfs://nn1.example:8020/wh/orders", "hdfs://nameservice1/wh"),
    ("hdfs://nn/wh/a b", "hdfs://nn/wh/a%20b/c"),
    ("s3://lake/a", "s3a://LAKE/a/b"),
    ("s3://lake/a//b", "s3://lake/a/b/c"),
    ("s3://lake/a%2Fb", "s3://lake/a"),
    ("s3://lake/a%252Fb", "s3://lake/a/b"),
    ("s3://lake", "s3://lake/a"),
    ("s3://lake/a", "oss://lake/a"),
    ("s3://lake/a", "s3://orders-1x2y-s3alias/a/b"),
    ("abfss://c/a", "abfss://c@acct.dfs.core.windows.net/a"),
    ("abfss://c@acct.dfs.core.windows.net/a", "abfss://c@acct-secondary.dfs.core.windows.net/a/b"),
    ("abfss://c@acct.privatelink.dfs.core.windows.net/a", "wasbs://c@acct.z6.blob.storage.azure.net/a"),
    ("abfss://c@10.0.0.1:10000/a", "abfss://c@acct.dfs.core.windows.net/a"),
    ("/srv/lake", "file:///srv//lake/x"),
)
APART = (
    ("s3://lake/a", "s3://lake/ab"),
    ("s3://lake/a", "s3://lake/A"),
    ("s3://lake/a", "gs://lake/a"),
    ("s3://lake/a", "s3://lake2/a"),
    ("abfss://c@acct.dfs.core.windows.net/a", "abfss://c@other.dfs.core.windows.net/a"),
    ("abfss://c@acct.dfs.core.windows.net/a", "abfss://d@acct.dfs.core.windows.net/a"),
    ("hdfs://nn/wh/orders", "hdfs://nn/wh/orders2"),
    ("hdfs://nn/lake/a", "s3://lake/a"),
    ("/lake/a", "s3://lake/a"),
)


def located(uri: str) -> Location:
    """Return the canonical form of a location that has one."""
    found = Location.of(uri)
    assert found is not None, uri
    return found


@pytest.mark.parametrize("form", ONE_LOCATION)
def test_f63_all_spellings_of_a_location_have_one_form(form: str) -> None:
    for spelling in (form, *ONE_LOCATION[form]):
        assert str(located(spelling)) == form, spelling
        assert AllowedFolders([form]).contains(spelling), spelling
        assert AllowedFolders([spelling]).contains(f"{form.rstrip('/')}/x"), spelling


@pytest.mark.parametrize("locations", DIFFERENT)
def test_f63_other_locations_have_other_forms(locations: tuple[str, ...]) -> None:
    one, *others = locations
    assert not any(located(one).covers(located(other)) for other in others)
    assert not any(located(other).covers(located(one)) for other in others)


@pytest.mark.parametrize("text", NONE)
def test_f63_what_clients_read_differently_has_no_form_and_is_refused(text: str) -> None:
    assert Location.of(text) is None
    assert ANYWHERE.problem_of(text) is not None
    assert not AllowedFolders([text, "s3://lake"]).contains(text)
    assert OtherFolders(["s3://lake"]).contains(text)


@pytest.mark.parametrize(("one", "other"), OVERLAPPING)
def test_f63_locations_that_some_client_reads_as_one_overlap(one: str, other: str) -> None:
    here, there = located(one), located(other)
    assert here.overlaps(there)
    assert there.overlaps(here)
    assert _like(here, other)
    assert _like(there, one)
    around, below = sorted((one, other), key=lambda each: len(located(each).parts))
    assert OtherFolders([around]).contains(f"{below.rstrip('/')}/file")


@pytest.mark.parametrize(("one", "other"), APART)
def test_other_locations_do_not_overlap(one: str, other: str) -> None:
    assert not located(one).overlaps(located(other))
    assert not OtherFolders([one]).contains(other)


def test_f63_an_allowed_location_does_not_cover_one_that_only_decoders_read_below_it() -> None:
    assert not located("s3://lake/a").covers(located("s3://lake/a%2Fb"))


def test_patterns_do_not_match_other_folders_of_a_bucket() -> None:
    assert not _like(located("s3a://lake/a_b/c"), "s3://lake/axb/c")
    assert not _like(located("gs://lake/a"), "gs://lake/b")


def _like(here: Location, uri: str) -> bool:
    """Return whether the database finds a location by the patterns of another one (`TableStore.list_like`)."""
    spelt = re.sub("/+", "/", uri.lower())
    found = (re.sub(r"\\\\(.)|%", _as_expression, re.escape(each.lower())) for each in patterns_of(here))
    return "%" in uri or any(re.fullmatch(each, spelt) for each in found)


def _as_expression(found: re.Match[str]) -> str:
    return ".*" if found[0] == "%" else re.escape(found[1])


def test_a_path_is_unclear_by_the_regular_expression_only() -> None:
    """Most paths are decided without it, as it takes half of the time of a comparison."""
    for parts in product(("/", "\\", ".", "%2e", "%252F", "a", "\x7f"), repeat=4):
        path = f"/t{''.join(parts)}"
        assert (Location.of(f"s3://lake{path}") is None) == bool(re.search(UNCLEAR, path)), path
