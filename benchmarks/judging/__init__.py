"""How fast a judge answers beside the same model asked as is usual, in one process: look at the ratios.

`OMP_NUM_THREADS=1 python -m benchmarks.judging [--output FILE] [--only WORD]` prints a table on standard error and
writes one JSON document (benchmarks/results/judging.json unless told otherwise). The decoder-only model is Llama-like,
the encoder-decoder one like Flan-T5 small, with random weights; prompts are random tokens in the shapes of SummEval,
TopicalChat and HANNA. Seconds are of the processor, for one prompt. Ours are all comparisons that the task names; the
peers' are some of them that follow one another, and the largest difference of P(first) on these is printed beside.
Peers: one prompt at a time, with the whole vocabulary at every position, as the code of the comparative-assessment
paper computes; that code as it comes, which also keeps what a training step would need; and batches in the order asked,
padded. Both sides multiply by the same library, but for the lines that compare what is had out of the box.
"""
