"""Rules that notice what matters in a session, without a language model: text in, values out."""
