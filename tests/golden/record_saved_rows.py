"""Writes saved_for_some_sizes.txt: the rows of the table that cannot be saved for arguments of any size.

    PYTHONPATH=src:tests:tests/table python tests/golden/record_saved_rows.py

See tests/table/test_saving_samples.py, which fails where a row comes to be in the list, or need no longer be.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from test_saving_samples import ROWS, for_all_sizes

if __name__ == "__main__":
    names = []
    for name, sample in ROWS.items():
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            try:
                saved = for_all_sizes(sample, Path(folder) / "model")
            except AssertionError as error:
                print(name, error, sep="\n")
                continue
            if saved is False:
                names.append(name)
    Path(__file__).with_name("saved_for_some_sizes.txt").write_text("\n".join(names) + "\n")
