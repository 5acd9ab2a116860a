"""stackdyno: a dynamometer for web-server stacks."""

__version__ = "0.1.0"
