"""Policies, their versions, and the tables that each policy covers."""
