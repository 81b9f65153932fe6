"""Mutants of foreign files and answers, parsed in a process with little memory (`python -m tests.parsers`)."""
