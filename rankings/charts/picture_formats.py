"""The widths and file formats of pictures for papers."""

WIDTHS = {7: 7.0, 14: 8.0}
"""width in centimetres -> size of the text in points. One column and two columns of a paper."""
FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
"""ending -> type of the file."""
