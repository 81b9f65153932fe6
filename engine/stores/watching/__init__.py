"""What the coordinator goes by: watches, leadership, outages, breakers, retention."""
