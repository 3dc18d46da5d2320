"""Quality of people's votes on a dataset."""
