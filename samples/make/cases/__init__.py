"""The cases of samples/corpus: their bytes, and what must come of them."""
