"""Profiles as a person writes them."""

GOOD = """\
title   = "mine"
stack   = "gunicorn"
app     = "hello"

[load]
connections = 5
requests    = 100
"""
