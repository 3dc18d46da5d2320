"""API about people: accounts, invitations and consent."""
