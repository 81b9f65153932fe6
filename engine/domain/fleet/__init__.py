"""All tables together: limits, figures, back-off, breakers, outages, retention."""
