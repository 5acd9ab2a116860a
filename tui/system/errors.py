"""The only kind of error meant for users."""


class UserError(Exception):
    """Something that the user can fix. ``str(error)`` is one line: what, where, what is allowed, what to do."""
