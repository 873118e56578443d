"""What stands in the place of a secret."""

SECRET = "[secret]"  # noqa: S105 -- the mark, and no secret
