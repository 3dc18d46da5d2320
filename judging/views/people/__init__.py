"""Pages about people: accounts, invitations and consent."""
