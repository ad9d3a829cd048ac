"""Other engines on the same machine: each task runs in a fresh process, in the environment of the engine it measures."""
