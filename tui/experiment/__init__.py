"""Makes many runs in a fixed order, one stack up at a time, in a process that outlives the terminal."""
