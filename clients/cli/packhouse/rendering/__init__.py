"""Answers of the API as text for people: tables, policies, runs while they go on.

Entered by commands. Takes documents unchanged from the API; scripts get those, never this text.
"""
