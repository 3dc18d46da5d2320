"""What is judged, by whom, and what they answered."""
