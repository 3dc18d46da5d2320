"""The HTTP API of campaigns, of annotating, and of votes."""
