"""Outgoing HTTP with limits on the whole of a call: time, bytes, redirects, and the address that is connected to.

Timeouts of HTTP libraries begin again with every byte, and their limits of size concern the body. A server that sends
interim answers (`100 Continue`), headers, chunks or trailers without an end holds a thread for ever. Here the limits
are those of the socket: nothing that a server sends escapes them. Standard library only: Spark tasks import it too.
"""
