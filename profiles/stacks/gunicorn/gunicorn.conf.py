"""Keeps what the master has loaded shared with its workers, as Python's documentation of gc.freeze() says how.

A collection writes to the header of every object that it visits, so the first one in a worker would copy all that was
shared. None runs in the master, since the holes that it leaves would be filled, and so copied, by the workers.
"""

import gc

gc.disable()


def pre_fork(server, worker):
    gc.freeze()


def post_fork(server, worker):
    gc.enable()
