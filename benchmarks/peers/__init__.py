"""Other engines on the same machine: each task runs in a fresh process, in its engine's environment."""
