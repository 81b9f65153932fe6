"""Tests of the console in Chromium against a whole running stack."""
