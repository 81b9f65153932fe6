"""Operations besides rewriting: their rules, what they would do to a table now, and when they are due."""
