"""Read inventories of buckets, of which a search for orphans takes the files instead of a listing; see `stored`."""
