"""Charts of a study, each with its table: ranking curves, position bias and others. A module per tab."""
