"""A program with the SDK of the last release: what it can do with the api at an address. Prints one JSON object.

It is run by the environment of the last release, and imports nothing of this version.
"""

import json
import sys

from packhouse_client import Packhouse, models
from packhouse_client.errors import UnreadableAnswer

url, key, table = sys.argv[1:]
found: dict[str, object] = {}
with Packhouse(url, key) as client:
    body = models.RunSubmit(table_id=table, operation="rewrite")
    run = client.wait_for_run(client.runs.submit(body=body).id, timeout=120)
    found["ended"] = run.is_terminal
    found["listed"] = run.id in {each.id for each in client.runs.list()}
    found["tables"] = len(list(client.tables.list()))
    try:
        client.tables.explain(table)
    except UnreadableAnswer as error:
        found["refused"] = str(error)
sys.stdout.write(json.dumps(found))
