"""Every word that a person reads; empty, so that a wheel carries the files beside it."""
