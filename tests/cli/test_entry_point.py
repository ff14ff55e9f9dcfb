"""The console entry point."""

import subprocess
import sys


def test_imports_are_kept_from_the_collector_which_runs_all_the_same():
    code = (
        "import gc, sys; sys.argv = ['llmcalc', '--version']\n"
        "from llmcalc.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["True True"]
