"""Who holds arrays and runs kernels, one package per engine. Engines know nothing of tapes."""
