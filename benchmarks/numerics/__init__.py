"""Compare the speed of the numerics with named peers, on the same data in the same process. The ratios matter.

`OMP_NUM_THREADS=1 python -m benchmarks.numerics [--small] [--output FILE]` prints a table on standard error and writes
one JSON document (default: benchmarks/results/numerics.json). Curves are drawn by `Judgments`, as in a notebook.
It lists peers that are not installed. The extra `dev` lacks two: arena-rank needs an older numpy, and ppi-python brings
a package `tests`, which hides ours. For all of them, make an environment with `pip install . choix evalica krippendorff
ppi-python arena-rank`. A peer that would take too long is measured on a part, and the time is multiplied; the line says
so. Seconds are processor time, the least of a few repeats, so that other work on the machine disturbs them little.
"""
