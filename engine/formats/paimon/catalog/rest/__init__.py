"""Paimon's REST catalog, by the protocol of Paimon 1.4.2: requests, tables, and commits. Entered by `connection`.

What the server answers is not trusted: it configures nothing but the prefix of paths, and leads to no other host.
"""
