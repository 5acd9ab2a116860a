"""The load generator: HTTP/1.1 load from processes of its own, measured as it is made.

``generator`` is what the runner uses; ``spec`` and ``result`` are what goes in and comes out; ``process``
and all that it imports runs in the load processes, and imports little.
"""
