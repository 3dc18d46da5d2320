"""Forms of the pages, one file a noun. Forms check the shape; services check the meaning."""
