"""What configures the storage of a table: the catalog's own properties and vended credentials, never the table's."""

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyiceberg
import pytest
from pyiceberg.table import TableProperties

from engine.domain.errors import CommitConflict, InvalidInput, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.base import Engine
from engine.formats.iceberg import IcebergFormat, IcebergTable, ManifestCache
from engine.formats.iceberg.catalog.file_access import outside, own_properties
from engine.formats.intake.catalogs.vended import vended
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores import arrow_files as storage
from engine.rewriting.kernel.storage.stores import azure, google
from engine.rewriting.kernel.storage.stores import s3 as s3_store
from engine.services.catalogs.locations import LocationRules
from tests.support.iceberg_tables import (
    Lake,
    append_files,
    edit_metadata,
    group_of,
    nothing,
    request_of,
    task_of,
    write_group,
)
from tests.support.rest_catalog import RestCatalogServer

OWN = {"s3.endpoint": "https://own", "s3.access-key-id": "own", "s3.secret-access-key": "own", "s3.region": "own-1"}
MAY_BE_VENDED = frozenset(
    {
        *("s3.access-key-id", "s3.secret-access-key", "s3.session-token", "s3.region", "client.region", "s3.endpoint"),
        *("gcs.oauth2.token", "gcs.oauth2.token-expires-at", "gcs.service.host"),
        *(
            "adls.sas-token",
            "adls.token",
            "adls.account-name",
            "adls.blob-storage-authority",
            "adls.dfs-storage-authority",
        ),
    }
)
ALLOWED = {"packhouse.vended-hosts": "stranger"}
SYSTEMS = {
    "s3": pafs.S3FileSystem,
    "gcs": pafs.GcsFileSystem,
    "hdfs": pafs.HadoopFileSystem,
    "adls": pafs.AzureFileSystem,
}
TAKEN = {"uri", "prefix", "namespace-separator", "view-endpoints-supported"}
"""What a REST catalog's settings may say beside that, with a meaning of its own."""


def known_names() -> frozenset[str]:
    """Return every property name that PyIceberg, Arrow's file systems and the kernel know, found in their modules."""
    texts = {value for value in vars(TableProperties).values() if isinstance(value, str)}
    for module in pkgutil.walk_packages(pyiceberg.__path__, "pyiceberg."):
        if module.name.startswith(("pyiceberg.cli", "pyiceberg.avro.decoder_fast")):
            continue
        try:
            found = vars(importlib.import_module(module.name))
        except ImportError:  # of a catalog whose library is not installed
            continue
        texts |= {value for name, value in found.items() if name.isupper() and isinstance(value, str)}
    names = {text for text in texts if re.fullmatch(r"[a-z0-9]+([._-][a-z0-9-]+)*", text)}
    for prefix, system in SYSTEMS.items():
        options = re.findall(r"^ *(\w+) : ", system.__doc__ or "", re.MULTILINE)
        assert options, system
        names |= {f"{prefix}.{option.replace('_', '-')}" for option in options}
    names |= {name for of in storage._S3_TEXTS.values() for name in of}
    names |= {name for of in s3_store.TEXTS.values() for name in of} | {"s3.sse.type", "s3.sse.key"}
    names |= {*storage._S3_SECONDS.values(), *storage._S3_SWITCHES.values()}
    for own in (s3_store, google, azure):
        names |= set(re.findall(r'"((?:s3|gcs|adls)\.[a-z0-9.-]+[a-z0-9])"', inspect.getsource(own)))
    return frozenset(names) | {"py-catalog-impl", "DEFAULT_SCHEME", "DEFAULT_NETLOC", "io-impl", "auth"}


KNOWN = known_names()
NO_STRUCTURE = {name: "stranger" for name in KNOWN if name not in {"commit.retry.num-retries", "format-version"}}


@pytest.fixture
def server(lake: Lake) -> Iterator[RestCatalogServer]:
    append_files(lake.create(), 1)
    with RestCatalogServer(catalog=lake.catalog).running() as running:
        yield running


def open_by_rest(server: RestCatalogServer, **properties: str) -> IcebergTable:
    connection = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri, **properties})
    return connection.open_table(TableRef("rest", ("sales",), "orders"))


def properties_of(opened: IcebergTable) -> dict[str, Any]:
    return dict(opened._view.table.io.properties)


def test_the_names_are_found() -> None:
    dangerous = {"py-io-impl", "s3.retry-strategy-impl", "s3.endpoint", "s3.proxy-uri", "gcs.service.host", "hdfs.host"}
    assert dangerous | {"hf.endpoint", "client.role-arn", "s3.signer.uri", "adls.account-host", "credential"} <= KNOWN
    assert len(KNOWN) > 150


def test_no_table_property_configures_storage_of_a_sql_catalog(lake: Lake) -> None:
    append_files(lake.create(), 1)
    properties = {"type": "sql", "uri": str(lake.catalog.properties["uri"]), **OWN}
    connection = IcebergFormat().connect("lake", properties)
    ref = TableRef("lake", ("sales",), "orders")
    plain = connection.open_table(ref)
    edit_metadata(lake.load(), lambda body: body["properties"].update(NO_STRUCTURE))
    hostile = connection.open_table(ref)
    assert "stranger" in hostile._view.metadata.properties.values()
    assert properties_of(hostile) == properties_of(plain)
    assert task_of(hostile, group_of(hostile)).storage == task_of(plain, group_of(plain)).storage
    assert OWN.items() <= properties_of(hostile).items()


def test_no_table_property_configures_storage_of_a_rest_catalog(server: RestCatalogServer) -> None:
    plain = open_by_rest(server, **OWN)
    server.table_properties = NO_STRUCTURE
    hostile = open_by_rest(server, **OWN)
    assert "stranger" in hostile._view.metadata.properties.values()
    assert properties_of(hostile) == properties_of(plain)


def test_no_other_name_of_a_table_answer_configures_storage() -> None:
    keys = {"s3.access-key-id": "v", "s3.secret-access-key": "v"}
    for name in KNOWN - MAY_BE_VENDED:
        assert vended({name: "stranger", **keys}, {}) == keys, name


def test_answers_of_a_rest_catalog_configure_storage_by_vended_names_only(server: RestCatalogServer) -> None:
    server.table_config = dict(NO_STRUCTURE)
    taken = properties_of(open_by_rest(server, **ALLOWED))
    assert {name for name, value in taken.items() if value == "stranger"} == MAY_BE_VENDED


def test_settings_of_a_rest_catalog_are_taken_by_vended_names_only(server: RestCatalogServer) -> None:
    server.settings["overrides"] = dict.fromkeys(KNOWN - TAKEN, "stranger")
    server.settings["overrides"] |= {"auth": {"type": "custom", "impl": "no.such.module.Thing", "custom": {}}}
    server.settings["defaults"] = {"header.Authorization": "Bearer stranger"}
    opened = open_by_rest(server, **ALLOWED)
    taken = properties_of(opened)
    assert {name for name, value in taken.items() if value == "stranger"} == MAY_BE_VENDED
    properties = opened._catalog.properties
    assert not {"auth", "header.Authorization", "py-io-impl", "oauth2-server-uri", "credential"} & properties.keys()


def test_a_rest_catalog_can_not_send_credentials_to_another_server(server: RestCatalogServer) -> None:
    server.settings["overrides"] = {"uri": "http://127.0.0.1:1/catalog"}
    with pytest.raises(StateConflict, match="names another server"):
        open_by_rest(server, token="secret")


def test_an_own_address_and_own_credentials_stay_together() -> None:
    assert vended({"s3.endpoint": "https://stranger"}, {"s3.access-key-id": "own"}) == {"s3.access-key-id": "own"}
    given = {"s3.endpoint": "https://vended", "s3.access-key-id": "vended", "s3.secret-access-key": "vended"}
    own = {**OWN, "s3.session-token": "own", "s3.role-arn": "own"}
    assert vended(given, own) == {**OWN, "s3.access-key-id": "vended", "s3.secret-access-key": "vended"}
    assert vended(given, {}, hosts=["vended"]) == given


def test_signatures_for_one_account_of_azure_are_taken_instead_of_the_catalogs_own() -> None:
    host = "account.dfs.core.windows.net"
    given = {f"adls.sas-token.{host}": "v", f"adls.sas-token-expires-at-ms.{host}": "9", "adls.sas-token.a/b": "x"}
    own = {"adls.account-key": "own", "adls.client-id": "own", "adls.sas-token.other": "own"}
    own["adls.account-name"] = "own"
    taken = {f"adls.sas-token.{host}": "v", f"adls.sas-token-expires-at-ms.{host}": "9", "adls.account-name": "own"}
    assert vended(given, own) == taken


@pytest.mark.parametrize("told", [{"s3.remote-signing-enabled": "true"}, {"s3.signer": "S3V4RestSigner"}])
def test_remote_signing_is_refused_by_name(server: RestCatalogServer, told: dict[str, str]) -> None:
    server.table_config = told
    with pytest.raises(StateConflict, match="signs each request to the store itself"):
        open_by_rest(server)
    keys = {"s3.access-key-id": "k", "s3.secret-access-key": "s"}
    assert open_by_rest(server, **keys).engines[Engine.ARROW].task_storage().items() >= keys.items()
    server.table_config |= {name: f"vended {value}" for name, value in keys.items()}
    assert open_by_rest(server).engines[Engine.ARROW].task_storage()["s3.access-key-id"] == "vended k"


@pytest.mark.parametrize("region", ["", "a.b", "x/y", "us-east-1.evil.example/#", "a\nb"])
def test_a_region_that_is_no_name_is_not_taken(region: str) -> None:
    assert vended({"s3.region": region}, {"s3.region": "own-1"}) == {"s3.region": "own-1"}


@pytest.mark.parametrize("address", ["http://169.254.169.254", "169.254.169.254:80", "localhost:9000"])
def test_a_vended_address_inside_is_refused_in_production(server: RestCatalogServer, address: str) -> None:
    server.table_config = {"s3.access-key-id": "v", "s3.secret-access-key": "v", "s3.endpoint": address}
    rules = LocationRules(allows_local=False)
    own = {"type": "rest", "uri": server.uri, "packhouse.vended-hosts": "169.254.169.254, localhost"}
    connection = IcebergFormat(check_addresses=rules.check_addresses).connect("r", own)
    with pytest.raises(InvalidInput, match="names a forbidden address"):
        connection.open_table(TableRef("rest", ("sales",), "orders"))


def test_credentials_for_the_tables_place_are_taken(lake: Lake, server: RestCatalogServer) -> None:
    config = {"s3.access-key-id": "v", "s3.secret-access-key": "v", "s3.session-token": "v", "s3.proxy-uri": "http://x"}
    server.storage_credentials = [
        {"prefix": lake.load().location(), "config": config},
        {"prefix": "s3://elsewhere", "config": {"s3.access-key-id": "w"}},
    ]
    taken = properties_of(open_by_rest(server, **ALLOWED))
    assert {name: value for name, value in taken.items() if value in "vw"} == {
        "s3.access-key-id": "v", "s3.secret-access-key": "v", "s3.session-token": "v",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["s3.retry-strategy-impl", "py-io-impl", "s3.some-new-impl"])
def test_a_catalog_names_no_code_either(name: str) -> None:
    given = {"type": "sql", "uri": "sqlite:///x", name: "os.path"}
    with pytest.raises(InvalidInput) as refused:
        IcebergFormat().validate(given)
    assert [problem.pointer for problem in refused.value.problems] == [f"/properties/{name}"]
    assert own_properties(given) == {}


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a class whose module can be imported."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "packhouse_stranger.py").write_text("class Thing:\n    def __init__(self, *_):\n        pass\n")
    monkeypatch.syspath_prepend(folder)
    yield "packhouse_stranger.Thing"
    sys.modules.pop("packhouse_stranger", None)


@pytest.mark.parametrize("name", ["write.py-location-provider.impl", "py-io-impl"])
def test_a_class_that_a_table_names_before_the_commit_is_not_imported(lake: Lake, stranger: str, name: str) -> None:
    """PyIceberg imports it while it makes the next metadata file's name."""
    append_files(lake.create(), 3)
    opened = lake.open()
    written = write_group(opened, group_of(opened))

    def name_it() -> None:
        edit_metadata(lake.load(), lambda body: body["properties"].update({name: stranger}))

    with suppress(CommitConflict):  # one of the two is a reason not to commit
        opened.commits.commit(request_of(opened, written), before_try=name_it)
    assert "packhouse_stranger" not in sys.modules
    opened.commits.release()
    assert "packhouse_stranger" not in sys.modules


def test_metadata_is_not_written_where_a_table_says_since(lake: Lake) -> None:
    append_files(lake.create(), 3)
    append_files(lake.create("salaries"), 1)
    other = Path(lake.load("salaries").location().removeprefix("file://"))
    before = set(other.rglob("*"))
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    places = {"write.metadata.path": f"file://{other}/metadata"}

    def name_it() -> None:
        edit_metadata(lake.load(), lambda body: body["properties"].update(places))

    with pytest.raises(Exception, match="outside_files"):
        opened.commits.commit(request_of(opened, written), before_try=name_it)
    assert set(other.rglob("*")) == before


def test_old_metadata_files_that_a_table_names_are_not_deleted(lake: Lake) -> None:
    append_files(lake.create(), 3)
    append_files(lake.create("salaries"), 1)
    victim = lake.load("salaries").metadata_location
    log = {"metadata-file": victim, "timestamp-ms": 1}

    def change(body: dict[str, Any]) -> None:
        body["metadata-log"] = [log, *body["metadata-log"]]
        body["properties"] |= {
            "write.metadata.delete-after-commit.enabled": "true", "write.metadata.previous-versions-max": "1"
        }  # fmt: skip

    edit_metadata(lake.load(), change)
    opened = lake.open()
    opened.commits.commit(request_of(opened, write_group(opened, group_of(opened))), before_try=nothing)
    assert Path(victim.removeprefix("file://")).exists()


def test_the_error_of_an_outside_file_is_short_and_printable() -> None:
    message = outside(["file:///x/\x00\u202e" + "y" * 5000], AllowedFolders(["9" * 5000, "\x1b[2J"])).message
    assert message.isprintable()
    assert len(message) < 1000
    assert "y" * 100 in message


def test_tables_whose_addresses_read_alike_share_no_manifests() -> None:
    cache, first, second = ManifestCache(), TableRef("c", ("a",), "b.t"), TableRef("c", ("a", "b"), "t")
    held = pa.table({"of": ["first"]})
    cache.of(first).get(("m.avro", 1), lambda: held)
    own = pa.table({"of": ["second"]})
    assert cache.of(second).get(("m.avro", 1), lambda: own) is own
    assert cache.of(first).get(("m.avro", 1), lambda: own) is held
