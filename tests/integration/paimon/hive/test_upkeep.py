"""Expiry of tables in Hive catalogs: by their files, as in every catalog that does not decide about snapshots."""

from tests.support.paimon.expiries import expired_with_files, expiry
from tests.support.paimon.metastore_lakes import MetastoreLake


def test_snapshots_expire_and_a_tag_keeps_what_it_needs(metastore_lake: MetastoreLake) -> None:
    lake = metastore_lake.create(primary_keys=["id"], bucket="1", write_only="true")
    lake.write_and_compact()
    lake.call("create_tag", name="kept", snapshot=2)
    rows, tagged = lake.call("values"), lake.call("history")["rows"]["tag kept"]
    expired_with_files(lake, expiry(1))
    history = lake.call("history")
    assert (history["earliest"], history["rows"]["tag kept"], lake.call("values")) == (6, tagged, rows)
    lake.write([[9, "b", 9.5]])
    assert lake.open().head_snapshot_id == 7
