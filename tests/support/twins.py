"""Tables of their own that read the files of another one: a table's uuid can be registered once only."""

import json
from uuid import uuid4

from pyiceberg.catalog import Catalog
from pyiceberg.table import Table
from pyiceberg.typedef import Identifier


def add_twin(catalog: Catalog, table: Table, name: Identifier) -> None:
    """Register a table's metadata under a second name, with another uuid and all else as it is."""
    folder, _, file = table.metadata_location.rpartition("/")
    with table.io.new_input(table.metadata_location).open() as stream:
        document = json.loads(stream.read()) | {"table-uuid": str(uuid4())}
    place = f"{folder}/{file.partition('-')[0]}-{uuid4()}.metadata.json"
    with table.io.new_output(place).create() as stream:
        stream.write(json.dumps(document).encode())
    catalog.register_table(name, place)
