"""The one kind of error that is meant for a person."""


class UserError(Exception):
    """Something a person can mend. ``str(error)`` is one line: what, where, what is allowed, what to do."""
