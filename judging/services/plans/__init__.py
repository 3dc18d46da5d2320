"""What a run asks: its spec, its pairs and the texts of its questions."""
