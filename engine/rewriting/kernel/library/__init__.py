"""The library of the compiled pass, and the calls of it that are not for a column."""
