"""Metastores that must know, or prove, who asks them."""

import pytest

from engine.formats.hive import HiveFormat
from tests.support.hive.stated_metastore import StatedMetastore


@pytest.mark.parametrize(
    ("ugi", "user"), [({}, []), ({"ugi": "etl"}, [("etl", [])]), ({"ugi": "etl:a,b"}, [("etl", ["a", "b"])])]
)
def test_calls_are_made_for_the_stated_user(ugi: dict[str, str], user: list[tuple[str, list[str]]]) -> None:
    with StatedMetastore().running() as server:
        HiveFormat(pause=0).connect("lake", {"type": "metastore", "uri": server.uri, **ugi}).ping()
    assert server.users == user
