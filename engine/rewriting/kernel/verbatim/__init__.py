"""Columns of types that Arrow lacks: outputs take over their schema elements from the inputs' footers."""
