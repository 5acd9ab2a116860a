"""A suite: a TOML file that names profiles, their order and the questions that their runs are to answer."""
