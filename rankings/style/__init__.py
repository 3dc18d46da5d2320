"""Effects of length and Markdown on a judge, and the ranking of systems without them."""
