"""What a recipe says of files that it cannot use: one line, for whoever brought them."""


class Unusable(Exception):
    pass
