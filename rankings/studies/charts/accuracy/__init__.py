"""The accuracy of the runs of a study: by confidence, length and difference in scores; their calibration."""
