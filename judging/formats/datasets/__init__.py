"""Public dataset formats, one file each; `registry` lists them."""
