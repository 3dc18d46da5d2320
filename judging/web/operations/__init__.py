"""Operations of pages, API and commands: their options, read for the person who asks."""
