"""Many runs in a settled order, one stack up at a time, by a process that outlives the terminal."""
