"""Read manifests as columns: decoded as a whole, limited in size, with every path checked."""
