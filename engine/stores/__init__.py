"""All SQL of Packhouse (the record). Only this package imports sqlalchemy."""
