"""What every store shares: engines, the database's clock, column types, translated errors."""
