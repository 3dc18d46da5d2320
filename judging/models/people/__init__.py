"""Tables about people in campaigns: invitations, enrolments, consent."""
