"""S3 clients are shared: a request without an answer keeps no other table of a known bucket from being loaded."""

import threading
from contextlib import suppress

import pyarrow as pa

from engine.formats.iceberg.catalog.file_systems import CONNECTIONS, SharedFileIO
from tests.support.tarpit import Tarpit

KEYS = {"s3.access-key-id": "reader", "s3.secret-access-key": "secret"}


def io(tarpit: Tarpit, **more: str) -> SharedFileIO:
    return SharedFileIO(tarpit.properties() | KEYS | more)


def test_equal_properties_share_a_client_and_others_do_not(tarpit: Tarpit) -> None:
    known = io(tarpit, owner="a").fs_by_scheme("s3", "bucket")
    assert io(tarpit, owner="b").fs_by_scheme("s3", "bucket") is known
    assert io(tarpit).fs_by_scheme("s3", "another") is not known
    assert io(tarpit, **{"s3.access-key-id": "another"}).fs_by_scheme("s3", "bucket") is not known
    assert pa.io_thread_count() >= CONNECTIONS


def test_file_access_of_a_known_bucket_is_made_while_a_request_has_no_answer(tarpit: Tarpit) -> None:
    io(tarpit).fs_by_scheme("s3", "bucket")

    def ask() -> None:
        with suppress(OSError):
            io(tarpit).new_input("s3://bucket/file").exists()

    for _ in range(40):  # more than the connections that a client has by default
        threading.Thread(target=ask, daemon=True).start()
    tarpit.wait_accepted(40)
    made = threading.Thread(target=io(tarpit).fs_by_scheme, args=("s3", "bucket"), daemon=True)
    made.start()
    made.join(20)
    assert not made.is_alive()
