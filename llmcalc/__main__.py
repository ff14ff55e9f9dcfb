"""The console entry point."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C during the imports ends it as quietly as later."""
    try:
        from llmcalc.cli import app

        app(prog_name="llmcalc")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
