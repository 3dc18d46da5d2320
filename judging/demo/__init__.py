"""The demo judge and its sample dataset: made by a grammar of ours, small enough to come with the code."""

from __future__ import annotations

from pathlib import Path

SAMPLE_DATASET = Path(__file__).resolve().parent / "sample.jsonl"
