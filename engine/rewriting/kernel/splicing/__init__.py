"""Output row groups made of the inputs' column chunks, without decoding what can be copied."""
