"""The tables of the record, with the constraints that make illegal states impossible."""
