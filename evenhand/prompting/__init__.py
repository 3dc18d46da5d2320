"""Methods, wording, templates and the shipped prompts. Pure: no Django."""
