"""Rewrites of partitions: written to a new folder, checked, and put in place by a change of the partition's location.

Neither a Metastore nor Glue looks at the present location when it changes one: between the last look and the change,
which takes some milliseconds, another client's change of the same partition is lost. Writers that still know the old
folder add files that no reader finds until `removal` copies them.
"""
