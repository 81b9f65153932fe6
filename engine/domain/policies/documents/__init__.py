"""The policy document as its owner writes it: one module for each section, its fields, differences, JSON Schema.

Entered by `effective`, and by every layer that reads a setting. Knows no other policy, no default and no preset.
"""
