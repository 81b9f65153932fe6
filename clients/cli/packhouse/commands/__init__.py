"""The commands, one module for each group of them; `packhouse.main` registers them.

A command reads its arguments, calls the SDK and prints the answer. Nothing below imports a command.
"""
