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
        ("uri", "postgresql://me@/lake?host=a:5432&host=b", ["a", "b"]),
        ("uri", "postgresql://me@[::1]:5433/lake", ["::1"]),
        ("uri", "postgresql://u:pa/ss@db.example/lake", ["db.example"]),
        ("uri", "postgresql:///lake?host=/run/pg&hostaddr=127.0.0.1", ["/run/pg", "127.0.0.1"]),
        ("uri", "mysql://u:p@db.example:3306/lake?ssl_ca=/etc/ca.pem", ["db.example"]),
        ("uri", "thrift://a:9083, thrift://b:9083", ["a", "b"]),
        ("uri", "http://LocalHost./x%00", ["LocalHost."]),
        ("s3.endpoint", "127.0.0.1:9000", ["127.0.0.1"]),
        ("s3.endpoint", "//minio:9000/x", ["minio"]),
        ("s3.proxy-uri", "proxy:3128", ["proxy"]),
        ("hdfs.host", "localhost", ["localhost"]),
        ("gcs.service.host", "storage.example", ["storage.example"]),
        ("adls.account-host", "::1", ["::1"]),
        ("adls.blob-storage-authority", ".blob.core.windows.net", ["blob.core.windows.net"]),
        ("warehouse", "abfss://c@acct.dfs.core.windows.net/x", ["acct.dfs.core.windows.net"]),
        ("warehouse", "hdfs://[2001:db8::1]:8020/x", ["2001:db8::1"]),
        ("adls.connection-string", "AccountName=a;BlobEndpoint=http://127.0.0.1:10000/a;", ["127.0.0.1"]),
        ("any.other", "http://metadata/x", ["metadata"]),
        ("warehouse", "s3://bucket/x", []),
        ("warehouse", "lake", []),
        ("s3.region", "localhost", []),
    ],
)
def test_hosts_are_found_where_a_property_carries_them(name: str, value: str, hosts: list[str]) -> None:
    assert hosts_of(name, value) == hosts


INSIDE = [
    {"s3.endpoint": "127.0.0.1:9000"},
    {"hdfs.host": "localhost"},
    {"gcs.service.host": "169.254.169.254"},
    {"adls.connection-string": "AccountName=a;BlobEndpoint=http://localhost:10000/a"},
    {"uri": "postgresql://db.example,127.0.0.1/lake"},
    {"uri": "postgresql:///lake"},
    {"uri": "postgresql://db.example/lake?hostaddr=127.0.0.1"},
    {"uri": "postgresql:///lake?host=/run/postgresql"},
    {"uri": "POSTGRESQL://127.0.0.1/lake"},
    {"uri": "mysql+pymysql://u@127.0.0.1/lake"},
    {"uri": "mariadb://localhost/lake"},
    {"uri": "http://[64:ff9b::7f00:1]/"},
    {"uri": "http://[::127.0.0.1]/"},
]


@pytest.mark.parametrize("properties", INSIDE, ids=str)
def test_no_property_leads_to_this_machine_in_production(properties: dict[str, str]) -> None:
    (problem,) = PRODUCTION.problems_of_uris(properties)
    assert problem.pointer == f"/properties/{min(properties)}"
    assert ANYWHERE.problems_of_uris(properties) == []


DIFFERENTLY_READ = [
    {"uri": "postgresql://u:pa/ss@127.0.0.1/db"},
    {"uri": "postgresql://u:p?a@127.0.0.1/db"},
    {"uri": "postgresql://u:p#a@127.0.0.1/db"},
    {"uri": "postgresql://127.0.0.1/x?a=b;c=d"},
    {"uri": "postgresql://db.example/x?conninfo=hostaddr%3D127.0.0.1"},
    {"uri": "postgresql+psycopg2://db.example/x?dsn=hostaddr%3D127.0.0.1"},
    {"uri": "postgresql://db.example/x?service=here"},
    {"uri": "postgresql://db.example/x?hostaddr=127.0.0.1&hostaddr=8.8.8.8"},
    {"uri": "postgresql://db.example/x?host=127.0.0.1%00.example"},
    {"uri": "postgresql://me@a:5432,b:5433/lake"},
    {"uri": "mysql:///lake"},
    {"uri": "mysql://db.example/lake?unix_socket=/run/mysqld.sock"},
    {"uri": "mysql://db.example/lake?read_default_file=/etc/my.cnf"},
    {"uri": "mysql://db.example/lake?local_infile=1"},
    {"uri": "http:///127.0.0.1/"},
    {"uri": "http:127.0.0.1"},
    {"uri": "http:\\127.0.0.1"},
    {"uri": "http://127.0.0.1%00.example/"},
    {"uri": "http://127%2e0.0.1/"},
    {"uri": "http://\uff11\uff12\uff17.0.0.1/"},
    {"uri": "http://127\u30020\u30020\u30021/"},
    {"uri": "http://catalog.example:80@127.0.0.1:80@catalog.example/"},
    {"uri": "http://catalog.example\t.127.0.0.1/"},
    {"s3.endpoint": "https://s3.example#@127.0.0.1/"},
    {"s3.endpoint": "minio\\@127.0.0.1"},
    {"warehouse": "abfss://c@acct.example@127.0.0.1/x"},
    {"adls.connection-string": "AccountName=acct;BlobEndpoint=http:///127.0.0.1"},
]
NO_NAMES = [
    {"s3.region": "@127.0.0.1:9000/"},
    {"client.region": "eu-west-1.evil.example/"},
    {"s3.region": "eu-west-1%00"},
    {"adls.account-name": "x@127.0.0.1/"},
    {"adls.auth.shared-key.account.name": "127.0.0.1/"},
    {"adls.tenant-id": "../../evil"},
    {"adls.blob-storage-scheme": "http://127.0.0.1/"},
    {"adls.connection-string": "AccountName=acct;EndpointSuffix=@127.0.0.1/"},
    {"adls.connection-string": "accountname=127.0.0.1/;EndpointSuffix=core.windows.net"},
    {"hdfs.port": "8020@127.0.0.1"},
    {"gcs.project-id": "p\r\nhost"},
]


@pytest.mark.parametrize("properties", DIFFERENTLY_READ, ids=repr)
def test_f46_an_address_that_parsers_read_differently_is_refused(properties: dict[str, str]) -> None:
    """SQLAlchemy, the URL parser of obstore and urllib3 find another host in it than a parser of RFC 3986."""
    ((name, value),) = properties.items()
    (problem,) = PRODUCTION.problems_of_uris(properties)
    assert problem.pointer == f"/properties/{name}"
    assert value not in repr(problem)


@pytest.mark.parametrize("rules", [ANYWHERE, PRODUCTION])
@pytest.mark.parametrize("properties", NO_NAMES, ids=repr)
def test_f46_a_value_that_becomes_a_part_of_an_address_is_a_name(
    properties: dict[str, str], rules: LocationRules
) -> None:
    """`s3.region` becomes `https://s3.REGION.amazonaws.com`, an account `https://ACCOUNT.blob.core.windows.net`."""
    ((name, value),) = properties.items()
    (problem,) = rules.problems_of_uris(properties)
    assert problem.pointer == f"/properties/{name}"
    assert value not in repr(problem)


def test_f46_ordinary_names_and_references_are_let_through() -> None:
    properties = {
        "s3.region": "eu-central-1", "client.region": "us-gov-east-1", "adls.account-name": "acct7",
        "hdfs.port": "8020", "gcs.project-id": "example.com:lake-1", "adls.tenant-id": "env:TENANT",
        "adls.connection-string": "DefaultEndpointsProtocol=https;AccountName=acct7;EndpointSuffix=core.windows.net",
    }  # fmt: skip
    assert PRODUCTION.problems_of_uris(properties) == []


class Resolver:
    """Answers from a list, one entry for each question; the last stays."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.mark.parametrize("name", ["credential", "token", "s3.secret-access-key", "adls.client-secret", "s3.sse.key"])
def test_a_secret_is_no_address(name: str) -> None:
    """A client's `id:secret` has a slash at this place in one of 64 cases."""
    assert hosts_of(name, "iceberg:/x8Fk") == []
    assert LocationRules(allows_local=False).problems_of_uris({name: "iceberg:/x8Fk"}) == []


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
