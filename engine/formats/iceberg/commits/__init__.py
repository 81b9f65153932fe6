"""From written groups to a proven snapshot: conflicts, manifests, the commit, its proof, the way back."""
