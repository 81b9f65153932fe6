"""An in-memory Packhouse, for tests of programs that use the SDK.

    mock = MockPackhouse()
    table = mock.add_table("lake.shop.orders")
    with mock.client() as client:
        run = client.runs.submit(body={"table_id": table})
        client.wait_for_run(run.id)

It answers for tables (register, list, get, delete), their own policies (get, put, delete) and runs (submit, list, get,
cancel, events) as the server does: the same statuses, problems, ETags, idempotency and paging. It passes the contract
tests that the server passes for these; anything else raises `NotImplementedError`. It has no real tables: any address
can be registered, sizes in policies are returned as written, fields about files are empty.
"""

from packhouse_client.testing.server import MockPackhouse

__all__ = ["MockPackhouse"]
