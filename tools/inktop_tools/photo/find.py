"""Which of the pictures that may be there the photo shows, and where: also when all of it went wrong."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np

from inktop_tools.photo import geometry
from inktop_tools.photo.faults import framebuffer
from inktop_tools.photo.lens import Lens

Array = Any

#: Fewer agreeing features than this may be the marks of another picture, or chance.
FEW_MATCHES = 40
#: So many features tell which of several pictures it is.
_TELLING = 1500


@dataclass(frozen=True)
class Found:
    """A picture, by name, that the photo shows. `went_wrong`: what happened to the whole of it, or ""."""

    name: str
    lens: Lens
    matches: int
    went_wrong: str = ""


class Finder:
    """Looks for pictures in one photo."""

    def __init__(
        self, grey: Array, pictures: Dict[str, Array], templates: Dict[str, geometry.Features]
    ) -> None:
        """`templates`: features of the pictures that are known already; more are added."""
        self._grey = grey
        self._pictures = pictures
        first = next(iter(pictures.values()))
        self.panel = np.array([first.shape[1], first.shape[0]], float)
        self.size = np.array([grey.shape[1], grey.shape[0]], float)
        self._features = geometry.photo_features(grey)
        self._templates = templates

    @property
    def richness(self) -> int:
        """How many features the photo has."""
        return len(self._features.points)

    def best(self) -> Optional[Found]:
        """The picture with the most features that agree."""
        found = self._best(self._pictures, self._features, "")
        if found is None or found.matches < 2 * FEW_MATCHES:
            self._features = geometry.photo_features(self._grey, geometry.SEARCH_SIDES[1])
            closer = self._best(self._pictures, self._features, "")
            if closer is not None and (found is None or closer.matches > found.matches):
                return closer
        return found

    def among(self, others: Dict[str, Array]) -> Optional[Found]:
        """The same among pictures that are not expected."""
        return self._best(
            {name: one for name, one in others.items() if name not in self._pictures}, self._features, ""
        )

    def gone_wrong(self) -> Optional[Found]:
        """A picture that went wrong as a whole: inverted, mirrored, rows of another length."""
        found = self._best(self._pictures, geometry.photo_features(255 - self._grey), "inverted")
        flipped = self._best(self._pictures, geometry.photo_features(self._grey[:, ::-1].copy()), "mirrored")
        if flipped is not None and (found is None or flipped.matches > found.matches):
            found = flipped
        if found is not None and found.matches >= FEW_MATCHES:
            return found
        few = self._features.descriptors is None or len(self._features.points) < FEW_MATCHES
        if len(self._pictures) > 1 or few:
            return found
        name, picture = next(iter(self._pictures.items()))
        for wide, kind in itertools.chain(framebuffer.scrambled(picture), framebuffer.strides(picture)):
            lens = geometry.coarse(
                geometry.template_features(wide, 1500), self._features, self.panel, self.size
            )
            if lens is not None and (found is None or lens[1] > found.matches):
                found = Found(name, *lens, kind)
                if found.matches >= 3 * FEW_MATCHES:
                    break
        return found

    def _best(
        self, pictures: Dict[str, Array], features: geometry.Features, went_wrong: str
    ) -> Optional[Found]:
        if features.descriptors is None or len(features.points) < geometry.FEWEST_MATCHES:
            return None
        for name, picture in pictures.items():
            if name not in self._templates:
                self._templates[name] = geometry.template_features(picture)
        names = list(pictures)
        if len(names) > 1:
            few = features.strongest(_TELLING)
            rough = {name: self._lens(self._templates[name].strongest(_TELLING), few) for name in names}
            names.sort(key=lambda name: -(rough[name] or (None, 0))[1])
            names = [name for name in names[:2] if rough[name] is not None] or names[:1]
        best: Optional[Found] = None
        for name in names:
            lens = self._lens(self._templates[name], features)
            if lens is not None and (best is None or lens[1] > best.matches):
                best = Found(name, *lens, went_wrong)
        return best

    def _lens(self, template: geometry.Features, features: geometry.Features) -> Optional[Tuple[Lens, int]]:
        return geometry.coarse(template, features, self.panel, self.size)
