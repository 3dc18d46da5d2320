"""Forms about people: accounts, invitations and consent."""
