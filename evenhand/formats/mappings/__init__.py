"""Tables with columns of any name: guess what they mean, and read them by a mapping. Pure."""
