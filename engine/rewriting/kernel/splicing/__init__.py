"""Page splicing: output row groups made of the inputs' column chunks, copied without decoding where possible."""
