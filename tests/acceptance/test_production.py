"""The production mode on one machine: local disks are refused, and loopback hosts that are not allowed by name."""

from pathlib import Path

import httpx

from tests.acceptance.test_afternoon import lake_on, register
from tests.support.eventually import eventually
from tests.support.s3_server import S3Server
from tests.support.stack import PRODUCTION, started


def test_tables_in_a_store_of_this_machine_are_kept_in_shape_in_production_mode(
    s3: S3Server, spark_url: str, tmp_path: Path
) -> None:
    settings = PRODUCTION | {"PACKHOUSE_SPARK_URL": spark_url, "PACKHOUSE_FIRST_RUN_GRACE_SECONDS": "0"}
    with lake_on(s3, tmp_path) as (afternoon, server), started(tmp_path, **settings) as stack:
        afternoon.write()
        headers = {"Authorization": f"Bearer {stack.key}"}
        with httpx.Client(base_url=stack.url, headers=headers, timeout=30) as client:
            for refused in (server.uri.replace("127.0.0.1", "localhost"), "sqlite:////tmp/catalog.db"):
                properties = {"type": "rest", "uri": refused}
                body = {"name": "inside", "format": "iceberg", "properties": properties}
                answer = client.post("/v1/catalogs", json=body)
                assert (answer.status_code, "this deployment does not allow" in answer.text) == (422, True), answer.text
            register(client, {"type": "rest", "uri": server.uri, "s3.endpoint": s3.url, "s3.region": "us-east-1"})
            eventually(lambda: afternoon.is_in_shape(0), within_seconds=120)
    for name in ("orders", "clicks"):
        assert afternoon.ids(name) == list(range(afternoon.written))
