"""``python -m tapegrad.distribute``: see `tapegrad.distribute.starting`."""

import sys

from tapegrad.distribute.starting import main

sys.exit(main())
