"""What programs written for earlier releases call. Nothing in depyf uses it."""
