"""How much the property tests try: `make test` runs the quick profile, `make check` the thorough one."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quick", max_examples=120, deadline=None)
settings.register_profile("thorough", max_examples=1500, deadline=None)
settings.load_profile("quick")
