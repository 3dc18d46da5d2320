"""The demo judge: its training from scratch, and the sample dataset that it judges. One grammar writes both."""
