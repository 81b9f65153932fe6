"""All tables together, limits, kill switches and the state of the process, on the wire.

Entered by the routes of the same room; `Pause` by every room whose objects can be paused. Knows no other room.
"""
