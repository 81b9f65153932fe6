"""`write_everywhere`: put where the file is missing, in the order of the answers, until nothing is missing."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from packhouse_client import AsyncPackhouse, NotWritten, Packhouse

NAME = "dual-1793525400000-0f8b6c2d4e1a49f7b3c5d7e9f1a2b4c6.parquet"
OLD, NEW, NEWEST = "file:/t/old", "file:/t/new", "file:/t/newest"


class Server:
    """Answers each question with the next of the scripted lists of folders; the last one again and again."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.names: list[str | None] = []
        self.partitions: list[str] = []
        self.put: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        query = request.url.params
        self.names.append(query.get("file_name"))
        self.partitions.append(query["partition"])
        folders = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        locations = [
            {"location": each, "role": "next" if at else "current", "has_file": f"{each}/{NAME}" in self.put}
            for at, each in enumerate(folders)
        ]
        document = {
            "table_id": "tbl_1",
            "partition": {"values": {}, "text": query["partition"]},
            "file_name": NAME,
            "valid_until": "2026-11-01T10:30:00Z",
            "locations": locations,
            "is_written": locations[0]["has_file"],
            "state": "steady",
            "run_id": None,
            "compaction_id": None,
        }
        return httpx.Response(200, json=document)


def paths(*folders: str) -> list[str]:
    return [f"{each}/{NAME}" for each in folders]


def write(server: Server, put: Callable[[str], Any], **given: Any) -> list[str]:
    with Packhouse("http://server", "pkh_x", transport=httpx.MockTransport(server)) as client:
        return client.write_everywhere("tbl_1", {"day": "2026-11-01"}, put, **given)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([[OLD]], [OLD]),
        ([[OLD, NEW]], [OLD, NEW]),
        ([[OLD, NEW], [NEW]], [OLD, NEW]),
        ([[OLD], [OLD, NEW], [NEW]], [OLD, NEW]),
        ([[OLD], [NEW], [NEW, NEWEST], [NEWEST]], [OLD, NEW, NEWEST]),
        ([[OLD, NEW], [OLD]], [OLD, NEW]),
    ],
)
async def test_each_folder_is_written_once_and_in_order(answers: list[list[str]], expected: list[str]) -> None:
    server = Server(*answers)
    assert write(server, server.put.append) == server.put == paths(*expected)
    assert server.names == [None, *[NAME] * (len(server.names) - 1)]
    again = Server(*answers)

    async def put(address: str) -> None:
        again.put.append(address)

    async with AsyncPackhouse("http://server", "pkh_x", transport=httpx.MockTransport(again)) as client:
        assert await client.write_everywhere("tbl_1", {"day": "2026-11-01"}, put) == paths(*expected)
    assert again.put == paths(*expected)
    assert again.partitions[0] == "day=2026-11-01"


def test_a_write_goes_on_under_the_name_of_an_earlier_one() -> None:
    server = Server([OLD, NEW])
    server.put += paths(OLD)
    assert write(server, server.put.append, file_name=NAME) == paths(NEW)
    assert server.names == [NAME, NAME]


async def test_a_put_that_writes_nothing_is_told_and_ends() -> None:
    server = Server([OLD])
    with pytest.raises(NotWritten, match="check that `put` has written to file:/t/old/dual-"):
        write(server, lambda _: None)
    assert len(server.names) == 20

    async def put(_: str) -> None:
        return None

    async with AsyncPackhouse("http://server", "pkh_x", transport=httpx.MockTransport(Server([OLD]))) as client:
        with pytest.raises(NotWritten):
            await client.write_everywhere("tbl_1", {"day": None}, put)


def test_an_error_of_the_writer_ends_the_write() -> None:
    def fail(_: str) -> None:
        raise OSError("disk full")

    server = Server([OLD])
    with pytest.raises(OSError, match="disk full") as raised:
        write(server, fail)
    assert len(server.names) == 1
    assert [f"file_name='{NAME}'" in each for each in raised.value.__notes__] == [True]
