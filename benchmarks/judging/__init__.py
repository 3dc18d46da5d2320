"""How fast a decoder-only judge answers beside the same model asked as is usual, in one process: look at the ratios.

`OMP_NUM_THREADS=1 python -m benchmarks.judging [--output FILE]` prints a table on standard error and writes
one JSON document (benchmarks/results/judging.json unless told otherwise). The model is Llama-like, with random weights;
prompts are random tokens in the shapes of SummEval, TopicalChat and HANNA. Seconds are of the processor, for one
prompt. Ours are all comparisons that the task names; the peers' are 16 of them that follow one another, and the largest
difference of P(first) on these is printed beside. Peers: one prompt at a time, with the whole vocabulary at every
position, as the code of the comparative-assessment paper computes; and batches of 16 in the order asked, padded on the
left, with the vocabulary at the last position only. Texts that a judge writes are held against `generate`, one at a
time, token by token.
"""
