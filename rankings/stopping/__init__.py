"""When a run could have stopped, or did stop, because its ranking was sure."""
