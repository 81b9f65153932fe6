"""Reading of a group's rows: inputs in order, deletes applied, columns projected; and the comparison of rows."""
