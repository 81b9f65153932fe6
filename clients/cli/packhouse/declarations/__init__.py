"""Catalogs, policies and tables declared as files: what is there, what is wanted, and the steps between.

Entered by `export` and `apply`. Computes steps and leaves their order of execution to the command.
"""
