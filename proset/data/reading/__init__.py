"""From a file to frames: opening it, finding how it is written, and settling what each column holds."""
