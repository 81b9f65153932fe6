"""Division of a group's rows by the partitions that another partition spec puts them into."""
