"""What workers do while a dependency is away: probe it, release runs afterwards, renew credentials that expire."""
