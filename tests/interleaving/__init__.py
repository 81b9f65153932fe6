"""Other writers act while a rewrite stands at a named step: no row lost or doubled, and the outcome tells the truth."""
