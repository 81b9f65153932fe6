"""Locations of files: the schemes of stores, one canonical form for all spellings, and comparisons of these.

Standard library only: services, formats and Spark tasks compare locations by the same code.
"""
