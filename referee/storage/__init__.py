"""Everything that is kept: the only room that imports sqlalchemy."""
