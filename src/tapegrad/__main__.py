"""``python -m tapegrad program.py`` runs a program in which ``import tensorflow`` gives tapegrad."""

from tapegrad.annex.tensorflow_shim.program import main

if __name__ == "__main__":
    main()
