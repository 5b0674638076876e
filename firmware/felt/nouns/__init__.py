"""Types that every room uses. This room imports no other room."""
