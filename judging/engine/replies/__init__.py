"""Written text -> answers: replies of endpoints and sampled texts."""
