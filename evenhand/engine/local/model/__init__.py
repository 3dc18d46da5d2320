"""A model before it answers: its files, classes, memory and traits."""
