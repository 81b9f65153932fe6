"""Frozen values and rules of the domain: no I/O, standard library and pydantic only."""
