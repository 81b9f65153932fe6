"""What policies delete of tables once they are registered, for the preview of several registrations at once."""

import pytest

from engine.domain.errors import Transient
from engine.domain.ids import TableId
from engine.domain.policies import effective_policy
from engine.domain.tables.table import Table, TableRef
from engine.services.policies.acknowledgements import Deleting
from engine.services.policies.due import TableAddress
from engine.services.policies.effects import DeletingTable
from engine.services.tables.deletions import deleting_of_all

REF = TableRef("lake", ("shop",), "orders")
OF_TABLE = DeletingTable(
    TableAddress(TableId(""), str(REF)), ("maintenance.expire_snapshots",), effective_policy(table_properties={})
)


async def _deleting_with(error: Exception) -> Deleting:
    async def examine(_ref: TableRef) -> Table:
        raise error

    return await deleting_of_all([(REF, Deleting({"register": str(REF)}, 1, [OF_TABLE]))], examine)


async def test_f51_only_an_error_of_the_table_makes_its_amount_unknown() -> None:
    """F51: a fault of the program counted as a table that can't be loaded, and was not seen."""
    unknown = await _deleting_with(Transient("the catalog did not answer"))
    assert (unknown.count, unknown.tables[0].candidate) == (1, None)
    with pytest.raises(TypeError):
        await _deleting_with(TypeError("a fault"))
