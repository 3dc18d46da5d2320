"""Every method asked of every kind of judge: `python -m benchmarks.methods --llmbar FOLDER --summeval FILE`.

FOLDER holds LLMBar's Natural.json, FILE is SummEval's JSON Lines. In a fresh data folder both are imported, the judges
are added, and each method is asked about all of LLMBar Natural and one context of SummEval (coherence), by `judge …
--json`; then `report --json` tells the accuracies. The commands are run in one process, one after the other, so that
torch is loaded once. All together take ten minutes of one core.

Judges: `demo`; a Llama with a chat template and a T5, both tiny and of random weights; an endpoint in this process
that draws its answers from the prompt's digest, with log-probabilities and without; `transformers serve` with the demo
judge's weights; and metrics. They show what runs and what comes of it; what they answer means nothing, but for
metrics. Slow cells ask less; their commands say how much.

Prints tables on standard error and writes benchmarks/results/methods.json. Needs the tests beside it.
"""
