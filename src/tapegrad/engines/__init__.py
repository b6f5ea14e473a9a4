"""Who holds arrays and runs kernels, one package per engine: ``numpy``. Engines know nothing of tapes."""
