"""Where tables may lie and catalogs may lead, and the tricks that try to get around it."""

import pytest

from engine.domain.errors import InvalidInput
from engine.services.catalogs.locations import ANYWHERE, LocationRules, is_insider, loopback_hosts

PRODUCTION = LocationRules(allows_local=False)

PLAIN = [
    "s3://lake/sales",
    "s3a://lake/sales/",
    "gs://lake",
    "abfss://container@account.dfs.core.windows.net/sales",
    "hdfs://namenode.example:8020/warehouse",
    "hdfs://namenode.example//warehouse",
    "s3://lake/day=2026-11-01%2009%3A00/x",
    "s3://lake/a..b/...",
]
NEVER = [
    "",
    " s3://lake/x",
    "s3://lake/x\n",
    "s3://lake/x\x00",
    "s3:\\\\lake\\x",
    "s3://lake/../other",
    "s3://lake/a/./b",
    "s3://lake/a//b",
    "gs://lake//a",
    "wasbs://container@account.blob.core.windows.net/a//",
    "s3://lake/%2e%2e/other",
    "s3://lake/a%2F..%2Fother",
    "s3://lake/%252e%252e/other",
    "s3://lake/%25252525252e",
    "s3://lake/%5C..",
    "s3://lake/%00",
    "s3://lake/*",
    "s3://lake/{a,b}",
    "s3://lake/a?versionId=1",
    "s3://lake/%2a",
    "s3://lake/a#b",
    "jar:file:/x.jar!/y",
    "jar:http://example.com/x.jar!/y",
    "s3:s3://lake/x",
    "s3:///x",
    "s3:/x",
    "s3://user@lake/x",
    "abfss://a:b@account.example/x",
    "abfss://a@b@account.example/x",
    "http://example.com/x",
    "ftp://example.com/x",
    "memory://x",
]
LOCAL = ["file:///lake/sales", "file:/lake", "/lake/sales"]
INSIDERS = [
    "127.0.0.1",
    "127.8.9.1",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "169.254.169.254",
    "metadata.google.internal",
    "100.100.100.200",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::1]",
    "::ffff:127.0.0.1",
    "[::ffff:169.254.169.254]",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "::",
    "2002:7f00:1::",
]


@pytest.mark.parametrize("rules", [ANYWHERE, PRODUCTION])
def test_a_plain_place_in_a_store_is_allowed_and_what_is_none_never(rules: LocationRules) -> None:
    assert [location for location in PLAIN if rules.problem_of(location) is not None] == []
    assert [location for location in NEVER if rules.problem_of(location) is None] == []


def test_local_disks_are_for_the_embedded_mode_and_a_local_location_is_an_absolute_path() -> None:
    for location in LOCAL:
        assert ANYWHERE.problem_of(location) is None
        assert "PACKHOUSE_MODE" in str(PRODUCTION.problem_of(location))
    for location in ("lake/sales", "file:lake", "file://elsewhere/lake", "file://localhost/lake", "//host/share"):
        assert ANYWHERE.problem_of(location) is not None


def test_insiders_are_known_however_they_are_written_and_other_hosts_are_let_through() -> None:
    assert [host for host in INSIDERS if not is_insider(host)] == []
    assert [host for host in INSIDERS if PRODUCTION.problem_of(f"hdfs://{host}/x") is None] == []
    others = ["example.com", "10.1.2.3", "192.168.0.1", "8.8.8.8", "lake", "localhost.example.com", "2001:db8::1"]
    assert [host for host in others if is_insider(host)] == []


def test_loopback_hosts_that_are_listed_are_allowed_in_production_and_nothing_else_is() -> None:
    rules = LocationRules(allows_local=False, loopback_hosts=loopback_hosts(" 127.0.0.1, LocalHost,[::1] "))
    for allowed in ("http://127.0.0.1:9000", "http://localhost/", "http://[::1]:8181", "thrift://127.1:9083"):
        assert rules.problems_of_uris({"uri": allowed}) == []
    for refused in (
        *("http://127.0.0.2", "http://a.localhost", "http://169.254.169.254", "http://[::ffff:127.0.0.1]"),
        *("sqlite:////tmp/x", "file:///lake", "postgresql:///x"),
    ):
        assert rules.problems_of_uris({"uri": refused}) != [], refused
    assert rules.problem_of("hdfs://localhost:8020/x") is None
    assert rules.problem_of("/lake") is not None
    resolved = [("uri", "127.0.0.1"), ("s3.endpoint", "127.0.0.3")]
    assert [each.pointer for each in rules.problems_of_addresses(resolved)] == ["/properties/s3.endpoint"]
    rules.check_peer("127.0.0.1")
    with pytest.raises(InvalidInput):
        rules.check_peer("169.254.169.254")


@pytest.mark.parametrize("host", ["169.254.169.254", "10.0.0.1", "0.0.0.0", "metadata", "example.com", "fe80::1"])
def test_only_loopback_hosts_can_be_allowed(host: str) -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_LOOPBACK_HOSTS") as refused:
        loopback_hosts(f"127.0.0.1,{host}")
    assert repr(host) in refused.value.message


def test_places_at_or_below_an_allowed_one_are_allowed_and_those_beside_it_are_not() -> None:
    for location, allowed in (
        ("s3://lake/sales", "s3://lake/sales"),
        ("s3://lake/sales/eu/", "s3://lake/sales/"),
        ("s3a://lake/sales/eu", "s3://lake/sales"),
        ("s3://lake/sales", "s3://lake"),
        ("hdfs://NN:8020/lake/sales", "hdfs://nn./lake"),
        ("file:///lake/a", "/lake"),
        ("/lake/a", "file:/lake"),
    ):
        ANYWHERE.check([location], allowed=["gs://other", allowed])
    for location, allowed in (
        ("s3://lake/sales2", "s3://lake/sales"),
        ("s3://lake2/sales", "s3://lake"),
        ("s3://lake", "s3://lake/sales"),
        ("s3://lake/Sales", "s3://lake/sales"),
        ("s3://LAKE/sales", "s3://lake"),
        ("s3://lake/sales%2Feu", "s3://lake/sales"),
        ("gs://lake/sales", "s3://lake/sales"),
        ("/lakehouse", "/lake"),
        ("abfss://other@account/x", "abfss://mine@account"),
    ):
        with pytest.raises(InvalidInput, match="allowed locations"):
            pytest.fail(f"{location} is allowed: {ANYWHERE.check([location], allowed=[allowed])}")


def test_every_place_of_a_table_is_looked_at() -> None:
    with pytest.raises(InvalidInput, match="s3://elsewhere/data") as raised:
        PRODUCTION.check(["s3://lake/t", "s3://elsewhere/data", "file:///tmp/x"], allowed=["s3://lake"])
    assert len(raised.value.problems) == 2


def test_an_allowed_location_is_a_plain_place_itself() -> None:
    for location in (*NEVER, "s3://", "abfss://"):
        found = [problem.pointer for problem in ANYWHERE.problems_of_allowed(["s3://lake", location])]
        assert (location, found) == (location, ["/allowed_locations/1"])


def test_catalogs_do_not_lead_inside_in_production_and_other_values_are_let_through() -> None:
    for value in (
        "sqlite:////tmp/catalog.db",
        "file:///lake",
        "jar:file:/x!/y",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:8181",
        "postgresql+psycopg2://me:secret@127.0.0.1:5432/x",
        "thrift://hive.example:9083,thrift://localhost:9083",
        "http://[::1]:8181",
        "http://2130706433/",
        "http://user@localhost/",
        "http://localhost?x=1",
        "http://localhost#x",
        "http://localhost\\@catalog.example/",
        "https://catalog.example, http://localhost",
    ):
        (problem,) = PRODUCTION.problems_of_uris({"uri": value})
        assert problem.pointer == "/properties/uri"
        assert value not in repr(problem)
        assert ANYWHERE.problems_of_uris({"uri": value}) == []
    others = ["https://catalog.example/", "postgresql://me@db.example/x", "s3://lake", "env:URI", "true"]
    for value in (*others, "10.0.0.1:9083"):
        assert PRODUCTION.problems_of_uris({"uri": value}) == []
