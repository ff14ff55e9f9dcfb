"""The console entry point."""

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C during the imports ends it as quietly as later."""
    try:
        # What the imports make lives as long as the program: a collector that goes
        # through it again and again costs a tenth of the start-up.
        gc.disable()
        from llmcalc.cli import app

        gc.freeze()
        gc.enable()
        app(prog_name="llmcalc")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
