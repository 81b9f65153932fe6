"""Policies of every scope, their versions, effects and presets on the wire.

Entered by the routes of the same room. Defines no setting: the document is that of `engine.domain.policies`.
"""
