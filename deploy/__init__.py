"""What deployments are made of."""
