"""Registered tables on the wire, and what is said of them: health, plan, history, explanation, advice, signals.

Entered by the routes of the same room. Takes parts of runs, policies and fleet; no room takes parts of it.
"""
