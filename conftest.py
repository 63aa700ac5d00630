"""How much the property tests try, and what every test may count on.

`make test` runs the quick profile, `make check` the thorough one.
"""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("quick", max_examples=120, deadline=None)
settings.register_profile("thorough", max_examples=1500, deadline=None)
settings.load_profile("quick")

# A shell ignores Ctrl-C for what it runs in the background, and a process that is started passes that on: the
# tests of Ctrl-C would fail there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
