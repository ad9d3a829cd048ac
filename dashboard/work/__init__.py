"""Long work in processes of its own: tasks say what is to be done, everything else knows only that they are tasks."""
