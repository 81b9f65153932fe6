"""Small versions of the scenarios of `bench.fleet`, with the defence behind each check removed in turn."""
