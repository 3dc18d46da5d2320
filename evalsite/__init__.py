"""The building: settings, addresses, the task queue."""
