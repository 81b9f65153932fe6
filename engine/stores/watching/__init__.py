"""State of the coordinator: watches, leadership, outages, breakers, retention."""
