"""`python -m pegboard`: the same as the command."""

from pegboard.cli import main

if __name__ == "__main__":
    main()
