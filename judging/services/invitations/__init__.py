"""Invitations to campaigns: links, files of people, joining, consent and completion codes."""
