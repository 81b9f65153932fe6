"""Runs with their events, groups, leases and times. Nothing else writes these rows.

Called by the services of runs, operations, explain and watching, through the unit of work.
"""
