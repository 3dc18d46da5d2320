"""Sentences, cards, lines and charts of the results pages."""
