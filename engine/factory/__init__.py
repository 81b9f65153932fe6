"""The composition root: settings in, wired services out. Nothing else reads settings or starts embedded parts.

`dependencies` has what is outside of a process and starts the embedded parts; `wiring` declares each service once;
`container` is entered by `api.server`, the commands and tests. Nothing is imported here: `services`, which the API's
modules name, needs no Spark.
"""
