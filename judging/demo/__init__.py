"""The sample dataset, and the demo judge's answers to it. `benchmarks/demo_judge/` makes them."""

from pathlib import Path

SAMPLE_COMPARISONS = Path(__file__).resolve().parent / "sample_comparisons.csv"
"""Answers of the demo judge to every ordered pair of the sample, for two prompts and both attributes."""

SAMPLE_DATASET = Path(__file__).resolve().parent / "sample.jsonl"
