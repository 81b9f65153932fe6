"""Tables that Paimon's own Java core writes and reads, as the truth that the reader is compared with.

The core runs in one process of its own for a test session: a JVM in the tests' process would take its signal handlers.
"""
