"""``python -m tapegrad.distribute``: see `tapegrad.distribute.starting`."""

from tapegrad.distribute.starting import main

main()
