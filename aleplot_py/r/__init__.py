"""R's names, R's random numbers, R models as black boxes, and the door from R.

``aleplot doctor r`` tells which parts of R are installed and fit together.
"""

from pathlib import Path


def r_file() -> str:
    """Path of the R file that gives R users ``ALEPlot`` and ``PDPlot`` of this package.

    Returns
    -------
    str
        What R's ``source()`` takes; the head of the file tells how to call it.
    """
    return str(Path(__file__).with_name("aleplotpy.R"))
