"""Rewrites of an Iceberg table: tasks of the kernel, and the call of Iceberg's own procedure with its proof."""
