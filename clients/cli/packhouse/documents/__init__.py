"""Documents as people write them: read from files and words, edited, compared.

Entered by commands, contexts and declarations. Never talks to the server: an editor is given a function that does.
"""
