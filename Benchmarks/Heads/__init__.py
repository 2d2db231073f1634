"""Records the request heads that real clients send, for the row mixed-heads."""
