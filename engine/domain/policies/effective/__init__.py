"""The policy that results for a table: scopes, presets, merging, contradictions, and when its windows hold.

Entered through `engine.domain.policies`. Computes from given documents; never reads or stores one.
"""
