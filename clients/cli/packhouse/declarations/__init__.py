"""Catalogs, policies and tables declared as files: what is there, what is wanted, and the steps between.

Entered by `export`, `apply` and `drift`. Computes, checks and renders steps, and leaves making them to the command.
"""
