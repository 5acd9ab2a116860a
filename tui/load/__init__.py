"""The load generator: makes HTTP/1.1 load in separate processes and measures it.

The runner uses ``generator``; ``spec`` is its input, ``result`` its output. ``process`` and everything it imports
run in the load processes, and import little.
"""
