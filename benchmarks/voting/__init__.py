"""The time of the voting pages while many annotators vote at once."""
