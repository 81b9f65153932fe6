"""What workers do while a dependency is away: probe it, and release the runs that wait for it."""
