"""Hosts in the properties of catalogs, and what their names resolve to in production."""

from collections.abc import Sequence

import pytest

from engine.services.catalogs.addresses import FRESH_SECONDS, HostNames, hosts_of, look_up
from engine.services.catalogs.locations import ANYWHERE, LocationRules, is_insider

PRODUCTION = LocationRules(allows_local=False)


@pytest.mark.parametrize(
    ("name", "value", "hosts"),
    [
        ("uri", "https://catalog.example:8181/x?y=1", ["catalog.example"]),
        ("uri", "postgresql://me@a:5432,b,[::1]:5433/lake", ["a", "b", "::1"]),
        ("uri", "postgresql:///lake?host=/run/pg&hostaddr=127.0.0.1", ["/run/pg", "127.0.0.1"]),
        ("uri", "thrift://a:9083, thrift://b:9083", ["a", "b"]),
        ("uri", "http://%6cocalhost/", ["localhost"]),
        ("s3.endpoint", "127.0.0.1:9000", ["127.0.0.1"]),
        ("s3.endpoint", "//minio:9000/x", ["minio"]),
        ("s3.proxy-uri", "proxy:3128", ["proxy"]),
        ("hdfs.host", "localhost", ["localhost"]),
        ("gcs.service.host", "storage.example", ["storage.example"]),
        ("adls.account-host", "::1", ["::1"]),
        ("adls.connection-string", "AccountName=a;BlobEndpoint=http://127.0.0.1:10000/a;", ["127.0.0.1"]),
        ("any.other", "http://metadata/x", ["metadata"]),
        ("warehouse", "s3://bucket/x", []),
        ("warehouse", "lake", []),
        ("s3.region", "localhost", []),
    ],
)
def test_hosts_are_found_where_a_property_carries_them(name: str, value: str, hosts: list[str]) -> None:
    assert list(hosts_of(name, value)) == hosts


INSIDE = [
    {"s3.endpoint": "127.0.0.1:9000"},
    {"hdfs.host": "localhost"},
    {"gcs.service.host": "169.254.169.254"},
    {"adls.connection-string": "AccountName=a;BlobEndpoint=http://localhost:10000/a"},
    {"uri": "postgresql://db.example,127.0.0.1/lake"},
    {"uri": "postgresql:///lake"},
    {"uri": "postgresql://db.example/lake?hostaddr=127.0.0.1"},
    {"uri": "postgresql+psycopg://%2Frun%2Fpostgresql/lake"},
    {"uri": "http://[64:ff9b::7f00:1]/"},
    {"uri": "http://[::127.0.0.1]/"},
]


@pytest.mark.parametrize("properties", INSIDE, ids=str)
def test_no_property_leads_to_this_machine_in_production(properties: dict[str, str]) -> None:
    (problem,) = PRODUCTION.problems_of_uris(properties)
    assert problem.pointer == f"/properties/{min(properties)}"
    assert ANYWHERE.problems_of_uris(properties) == []


class Resolver:
    """Answers from a list, one entry for each question; the last stays."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def test_a_name_that_resolves_to_this_machine_is_refused_by_the_resolver_of_the_machine() -> None:
    names = HostNames(lookup=Resolver(["192.0.2.1", "169.254.169.254"]))
    properties = {"type": "rest", "uri": "https://innocent.example/"}
    resolved = list(names.resolved(properties))
    (problem,) = PRODUCTION.problems_of_addresses(resolved)
    assert problem.pointer == "/properties/uri"
    assert "innocent" not in repr(problem)
    assert ANYWHERE.problems_of_addresses(resolved) == []
    assert any(is_insider(address) for address in look_up("localhost"))
    assert look_up("no-such-host.invalid") == ()


def test_a_name_is_resolved_again_when_the_answer_is_old() -> None:
    now = [0.0]
    resolver = Resolver(["192.0.2.1"], ["127.0.0.1"])
    names = HostNames(lookup=resolver, monotonic=lambda: now[0])
    properties = {"uri": "https://rebinding.example/"}
    assert PRODUCTION.problems_of_addresses(names.resolved(properties)) == []
    now[0] = FRESH_SECONDS
    assert PRODUCTION.problems_of_addresses(names.resolved(properties)) == []
    now[0] = FRESH_SECONDS + 1
    assert len(PRODUCTION.problems_of_addresses(names.resolved(properties))) == 1
    assert resolver.asked == ["rebinding.example"] * 2
