"""What the answers mean. No tables: everything here is computed."""
