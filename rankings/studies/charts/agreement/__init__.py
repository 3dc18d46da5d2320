"""The agreement between the runs of a study."""
