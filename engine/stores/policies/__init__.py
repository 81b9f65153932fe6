"""Policies with their versions, and which tables each one covers."""
