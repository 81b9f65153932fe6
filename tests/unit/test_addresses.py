"""Addresses of tables as text."""

import re

import pytest
from packhouse_client.addresses import join_address, split_address

from engine.domain.tables.addresses import TABLE_PATTERN, is_address, parse_address, written_address
from engine.domain.tables.table import TableRef

ADDRESSES = [
    ("lake.shop.orders", TableRef("lake", ("shop",), "orders")),
    ("lake.shop.eu.orders", TableRef("lake", ("shop", "eu"), "orders")),
    ('lake."shop.eu"."or""ders"', TableRef("lake", ("shop.eu",), 'or"ders')),
    ("lake.shop.größe in cm", TableRef("lake", ("shop",), "größe in cm")),
    ('lake.shop."a.b.c"', TableRef("lake", ("shop",), "a.b.c")),
]


@pytest.mark.parametrize(("text", "ref"), ADDRESSES)
def test_an_address_is_read_and_written_alike(text: str, ref: TableRef) -> None:
    assert is_address(text)
    assert parse_address(text) == ref
    assert written_address(ref) == text
    assert re.search(TABLE_PATTERN, text)


@pytest.mark.parametrize(("text", "ref"), ADDRESSES)
def test_the_sdk_reads_and_writes_addresses_as_the_server_does(text: str, ref: TableRef) -> None:
    assert split_address(text) == (ref.catalog, list(ref.namespace), ref.name)
    assert join_address(*split_address(text)) == text


@pytest.mark.parametrize(
    "text", ["lake.orders", "lake..orders", ".lake.shop.orders", "lake.shop.", 'lake."shop.orders', 'lake.sh"op.x', ""]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a table address: write"):
        parse_address(text)
    assert not re.search(TABLE_PATTERN, text)
