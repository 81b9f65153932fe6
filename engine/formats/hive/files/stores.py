"""List every file below a folder with its size and time, in object stores, on this machine's disks and in HDFS."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.formats.removal import listings
from engine.formats.removal.listings import FOUND
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.stores.addresses import Address, address_of
from engine.rewriting.kernel.storage.stores.connections import files_of
from engine.rewriting.kernel.storage.stores.hdfs import HdfsFiles
from engine.uris.schemes import HDFS

_PAGE: Final = 10_000


def files_below(
    location: str, storage: Mapping[str, str], before_page: Callable[[int], None] = lambda _: None
) -> Iterator[pa.Table]:
    """Yield all files below a location, with the schema `FOUND`; see `removal.listings.files_below`.

    Raises:
        NotEligible: files of this kind of store can't be listed.
        OSError: the store does not answer, or refuses: the listing is incomplete.
    """
    try:
        address = address_of(location)
        store = files_of(address.kind, address.place, storage) if address.kind == HDFS else None
    except Refused as error:
        raise NotEligible(f"files below {location} can't be listed: {error}") from error
    if isinstance(store, HdfsFiles):
        yield from _in_hdfs(location.rstrip("/"), address, store, before_page)
    else:
        yield from listings.files_below(location, storage, before_page)


def _in_hdfs(
    spelled: str, address: Address, store: HdfsFiles, before_page: Callable[[int], None]
) -> Iterator[pa.Table]:
    root = address.path.rstrip("/")
    before_page(1)
    found = store.listed(root)
    while page := list(islice(found, _PAGE)):
        if not all(path.startswith(f"{root}/") for path, _, _ in page):
            raise OSError(f"the store listed files that are not below {spelled[:300]}")
        paths = [spelled + path[len(root) :] for path, _, _ in page]
        sizes, times = ([each[column] for each in page] for column in (1, 2))
        yield pa.table([paths, sizes, times], schema=FOUND)
        before_page(1)
