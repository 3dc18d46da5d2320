"""The figures of a report row: their definitions, and correlations with human scores."""
