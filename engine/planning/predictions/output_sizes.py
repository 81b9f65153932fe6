"""Prediction of output sizes: the bytes of the inputs' rows, plus the metadata of each output file.

A file of ten rows is nearly all footer, page headers and dictionaries: about 360 bytes for each column. A rewrite does
not copy those. The metadata bytes of a file are estimated by regression: they are the intercept of stored bytes over
rows. If all files have about the same number of rows, the number of columns determines the estimate.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_COLUMN_BYTES: Final = 360
"""Metadata of a file for each column; files of Spark and of the kernel have 340 to 460 (`bench.estimates`)."""

_PRIOR_WEIGHT: Final = 0.25
"""Weight of the prior, in files."""


def metadata_bytes(file_bytes: Ints, rows: Ints, columns: int) -> int:
    """Return the approximate metadata bytes of a file: stored bytes that do not belong to rows.

    Args:
        file_bytes: stored bytes of the files.
        rows: numbers of rows of the files.
        columns: number of leaf columns of the schema; 0: unknown.

    Fits `bytes = metadata + rows * each` by least squares of relative errors, with a prior for `metadata`; it leaves
    at least a byte for each value of each file, or a tenth of a file whose values need less.
    """
    holding = (rows > 0) & (file_bytes > 0)
    sizes, counts = file_bytes[holding].astype(np.float64), rows[holding].astype(np.float64)
    if not len(sizes) or columns <= 0:
        return 0
    prior = float(_COLUMN_BYTES * columns)
    intercept, slope = 1.0 / sizes, counts / sizes
    matrix = np.array(
        [
            [intercept @ intercept + _PRIOR_WEIGHT / prior**2, intercept @ slope],
            [intercept @ slope, slope @ slope],
        ]
    )
    target = np.array([intercept.sum() + _PRIOR_WEIGHT / prior, slope.sum()])
    found = float(np.linalg.lstsq(matrix, target, rcond=None)[0][0])
    most = float((sizes - np.minimum(counts * columns, sizes / 10)).min())
    return int(max(0.0, min(found, 3 * prior, most)))
