"""Tables about labelling by people: campaigns, pairs, assignments and votes."""
