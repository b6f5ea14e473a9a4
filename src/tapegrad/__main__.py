"""``python -m tapegrad program.py`` runs a program in which ``import tensorflow`` gives tapegrad."""

from tapegrad.standing.program import main

if __name__ == "__main__":
    main()
