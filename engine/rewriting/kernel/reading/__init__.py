"""The rows of a group: inputs in order, deletes applied, columns projected; and the proof that rows are the same."""
