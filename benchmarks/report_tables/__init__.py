"""The report's study again: its experiments on its problems, our numbers beside the published ones."""
