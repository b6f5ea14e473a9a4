"""The name ``tensorflow`` for a child process of a program in which tapegrad stands in."""

import tapegrad

tapegrad.stand_in()
