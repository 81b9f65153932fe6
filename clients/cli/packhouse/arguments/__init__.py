"""Objects that arguments name: tables by address, targets of policies, partitions; and their completion.

Entered by commands and declarations. Asks the server at most for what a name stands for; changes nothing there.
"""
