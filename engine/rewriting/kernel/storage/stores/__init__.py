"""The kinds of stores that tasks read and write: local files, and the object stores of the clouds."""
