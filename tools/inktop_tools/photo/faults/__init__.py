"""The families of faults. Each has `propose(scene)`: the explanations it has for what the photo shows.

A new family is a module with that function, and its name in FAMILIES.
"""

from __future__ import annotations

from typing import List

from inktop_tools.photo.faults import feed, framebuffer, panel, refresh, waveform
from inktop_tools.photo.scene import Explanation, Scene

FAMILIES = (feed, framebuffer, panel, refresh, waveform)


def explanations(scene: Scene) -> List[Explanation]:
    """What all families propose, the best first."""
    found = [one for family in FAMILIES for one in family.propose(scene)]
    return sorted(found, key=lambda one: -one.score)
