"""The built files of the web console (`clients/console`), and the headers that they are served with.

`api.routes.console` answers with them. The console calls the public API only; nothing here reads or changes a record.
"""
