"""Scenarios of whole fleets and of single large tables, in a small form as tests and in full as a program."""
