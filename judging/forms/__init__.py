"""Forms of the pages, one file for each noun. Forms check formats; services check meaning."""
