"""Outages of dependencies: workers probe them, and release the runs that wait for them."""
