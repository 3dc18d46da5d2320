"""How fast the numerics are beside named peers, on the same data in the same process: look at the ratios.

`OMP_NUM_THREADS=1 python -m benchmarks.numerics [--small] [--output FILE]` prints a table on standard error and writes
one JSON document (benchmarks/results/numerics.json unless told otherwise). Peers that are not installed are named; an
environment of its own gives them all: `pip install numpy scipy choix evalica arena-rank`. Where a peer would take too
long, it is measured on a part and multiplied, which the line says. Seconds are of the processor, the least of a few
repeats, so that other work on the machine disturbs them little.
"""
