"""``python -m tapegrad program.py arguments`` runs a program in which ``import tensorflow`` gives tapegrad."""

from tapegrad.standing.program import main

if __name__ == "__main__":
    main()
