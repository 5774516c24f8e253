"""What a recipe says of files that it cannot use: one line, for whoever brought them."""

import pathlib
import sys


class Unusable(Exception):
    pass


def run(main, usage: str) -> None:
    """Runs the program of a recipe, which takes a folder and writes another; status 2 says that the files are unusable."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    try:
        main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    except Unusable as error:
        print(error, file=sys.stderr)
        sys.exit(2)
