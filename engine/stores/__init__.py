"""The record: all SQL of Packhouse. Only this package imports sqlalchemy."""
