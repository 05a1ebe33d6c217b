"""One file for each trainer: what it calls, translated to `kritai` and back in at most 20 lines of
code. Each says what it needs."""
