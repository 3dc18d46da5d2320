"""T5 models: packed encoding and generation."""
