"""The same work done by tapegrad and by its peers, side by side in one run.

`python -m benchmarks` (or `make bench`) runs everything; each bench_*.py also says what it measures.
"""
