"""Words that every room uses. This room knows nothing of any other."""
