"""The one exception of llmcalc: something that the user can mend."""


class LlmcalcError(ValueError):
    """What was asked or given is wrong; the message is one line for the user.

    It names the file (or ``<stdin>``), the place, the value and, where that is
    short, the remedy. The command line prints it and exits with status 2.
    """
