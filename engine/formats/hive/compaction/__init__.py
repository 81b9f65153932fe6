"""Rewrites of partitions: written to a new folder, checked, and put in place by a change of the partition's location.

A Metastore changes a location without looking at the present one: between the last look and the change, which takes
some milliseconds, another client's change of the same partition is lost. `HiveFormat` offers these
rewrites to tests only. What has to come first:

- files that writers add to the old folder after the commit are copied as well, for a grace, and rows overwritten there
  are noticed (`Swap._follow_up` does so once, and not again if the worker ends before it);
- old folders are removed after the grace;
- each partition of a batch is a commit of its own for the caller, which takes a batch for atomic: after a lost answer
  it gives up the groups that are not in place, whose call the Metastore may still execute;
- a group whose call may still be executed is not given up for another reason either;
- files that no listing shows (links, names with control characters, folders that an engine made since the plan) hold
  their partition back when it is put in place;
- columns are written as Hive and Spark read them: decimals of fixed length, and the calendar of dates that Spark names
  in a file's footer.
"""
