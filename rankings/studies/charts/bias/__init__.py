"""The position bias of the runs of a study."""
