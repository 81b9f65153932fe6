"""Each defence against a fault that other systems had, taken away: the test named after the fault has to fail."""
