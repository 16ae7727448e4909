// Placeholder: the front door is another commit.
