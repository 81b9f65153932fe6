"""Thrift's client of a Metastore, of any release from 2 to 4."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from hive_metastore.ThriftHiveMetastore import Client
from hive_metastore.ttypes import GetTableRequest, GetTablesRequest, NoSuchObjectException, Table, UnknownDBException
from thrift.protocol.TProtocol import TProtocolBase
from thrift.Thrift import TApplicationException

_UNKNOWN_ERRORS: Final = (TApplicationException.MISSING_RESULT, TApplicationException.INTERNAL_ERROR)
"""Answers of releases 2 and 3 to a call that fails with an error which its declaration does not have."""


class AnyRelease(Client):  # type: ignore[misc] # the library has no types
    """Client of a Metastore of any release: calls that release 4 removed are made by those that replaced them.

    `unknown`: names of calls that the server was found not to know, shared by the connections to it.
    """

    def __init__(self, protocol: TProtocolBase, unknown: set[str]) -> None:
        super().__init__(protocol)
        self._unknown = unknown

    def get_table(self, dbname: str, tbl_name: str) -> Table:
        """Return a table. Raises NoSuchObjectException."""
        return self._known(
            "get_table",
            lambda: Client.get_table(self, dbname, tbl_name),
            lambda: self.get_table_req(GetTableRequest(dbName=dbname, tblName=tbl_name)).table,
        )

    def get_table_objects_by_name(self, dbname: str, tbl_names: Sequence[str]) -> Sequence[Table]:
        """Return those of the named tables that exist. Raises NoSuchObjectException without the database."""
        names = list(tbl_names)
        try:
            return self._known(  # type: ignore[no-any-return]
                "get_table_objects_by_name",
                lambda: Client.get_table_objects_by_name(self, dbname, names),
                lambda: self.get_table_objects_by_name_req(GetTablesRequest(dbName=dbname, tblNames=names)).tables,
            )
        except UnknownDBException as error:
            raise NoSuchObjectException(error.message) from error
        except TApplicationException as error:
            if error.type in _UNKNOWN_ERRORS:
                self.get_database(dbname)
            raise

    def _known(self, name: str, call: Callable[[], Any], later: Callable[[], Any]) -> Any:
        """Return the answer to a call, or to the later one if the server does not know it."""
        if name not in self._unknown:
            try:
                return call()
            except TApplicationException as error:
                if error.type != TApplicationException.UNKNOWN_METHOD:
                    raise
                self._unknown.add(name)
        return later()
