"""The furniture of tapegrad: shapes, conversion, printing, variables, modules."""
