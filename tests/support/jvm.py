"""Options of the JVMs in processes of tests, as `JAVA` in the Makefile: they live for minutes and load known jars."""

from typing import Final

SHORT_LIVED: Final = (
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
)
"""No second compiler and no verification of classes, which took an eighth of all CPU time and a tenth of a start."""
