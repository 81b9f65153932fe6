"""Services without outside parts."""
