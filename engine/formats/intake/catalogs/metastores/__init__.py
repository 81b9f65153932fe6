"""Connections to Hive Metastores by Thrift, for the clients of all formats: bounded, and to checked addresses.

`servers_of` makes `MetastoreServers` of a catalog's properties, whose `session` is a block with Thrift's client.
`properties` has the properties themselves and their problems, `errors` the conditions that errors of a session mean.
"""
