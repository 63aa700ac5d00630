"""Owns the geometry of a photograph of the panel: finding the marks, and seeing it from straight ahead.

Every screen carries six marks: a square at each corner, the top-left one hollow, and a small one at
mid-height of both sides. Coordinates are pixels, x to the right and y down, of the photo or of the panel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Dict, List, Optional, Sequence, Tuple

from PIL import Image, ImageChops, ImageFilter

from inktop_tools.errors import InktopError

Point = Tuple[float, float]

#: The panel and its marks, as firmware/core/picture/layout.cpp places them on a large display.
PANEL_WIDTH = 1920
PANEL_HEIGHT = 1080
MARK_SIDE = 24
MARK_INSET = 16
SMALL_SIDE = 12

#: The search runs on a photo of this width: a corner mark is still some ten pixels wide there.
SEARCH_WIDTH = 1600

#: How far marks may be off their places and sizes, in sides, on the average. In drawn photos of whole
#: panels they are
#: off by 0.06 to 0.17; squares that only look like marks by 0.35 and more.
MOST_OFF = 0.25

#: A lens bends the picture by this much, panel pixels; more than that is a fault of the panel.
TRUSTED_RESIDUAL = 6.0


@dataclass(frozen=True)
class Blob:
    """A connected dark area: its bounding box and how many of the pixels in it are dark."""

    left: int
    top: int
    right: int
    bottom: int
    dark: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def centre(self) -> Point:
        return ((self.left + self.right) / 2, (self.top + self.bottom) / 2)

    @property
    def share(self) -> float:
        """Dark pixels per pixel of the box."""
        return self.dark / (self.width * self.height)


@dataclass(frozen=True)
class Straight:
    """The panel as seen from straight ahead: 8-bit grey, PANEL_WIDTH x PANEL_HEIGHT."""

    image: Image.Image
    #: Greatest distance of a mark that did not decide from its place, panel pixels; None: there was none.
    residual: Optional[float]
    #: The marks that were seen, by their place in `all_marks`.
    seen: Tuple[int, ...]


@dataclass(frozen=True)
class Flat:
    """The straight picture without the light that fell on it: 8-bit grey, paper 255, ink 0."""

    image: Image.Image
    #: Share of the picture that is much brighter than the paper around the marks: then that paper is not
    #: white.
    brighter: float


def local_threshold(grey: Image.Image, radius: int, offset: int = 12) -> Image.Image:
    """Mode "L", 255 where a pixel is darker than its surroundings by `offset` levels."""
    mean = grey.filter(ImageFilter.BoxBlur(radius))
    return ImageChops.subtract(mean, grey).point([255 if level > offset else 0 for level in range(256)])


def blobs(mask: Image.Image) -> List[Blob]:
    """The connected areas (by edges and corners) of the pixels that are not 0 in `mask`."""
    width, height = mask.size
    data = mask.tobytes()
    parent: List[int] = []
    boxes: List[List[int]] = []

    def root(label: int) -> int:
        while parent[label] != label:
            parent[label] = parent[parent[label]]
            label = parent[label]
        return label

    before: List[Tuple[int, int, int]] = []
    for y in range(height):
        row = data[y * width : (y + 1) * width]
        now: List[Tuple[int, int, int]] = []
        start = row.find(b"\xff")
        at = 0
        while start >= 0:
            end = row.find(b"\x00", start)
            end = width if end < 0 else end
            label = -1
            while at < len(before) and before[at][1] < start:
                at += 1
            over = at
            while over < len(before) and before[over][0] <= end:
                other = root(before[over][2])
                if label < 0:
                    label = other
                elif label != other:
                    parent[other] = label
                    box, gone = boxes[label], boxes[other]
                    box[0] = min(box[0], gone[0])
                    box[1] = min(box[1], gone[1])
                    box[2] = max(box[2], gone[2])
                    box[3] = max(box[3], gone[3])
                    box[4] += gone[4]
                over += 1
            if label < 0:
                label = len(parent)
                parent.append(label)
                boxes.append([start, y, end, y + 1, 0])
            box = boxes[label]
            box[0] = min(box[0], start)
            box[2] = max(box[2], end)
            box[3] = y + 1
            box[4] += end - start
            now.append((start, end, label))
            start = row.find(b"\xff", end)
        before = now
    return [Blob(*box) for label, box in enumerate(boxes) if parent[label] == label]


def solve(matrix: List[List[float]], right: List[float]) -> List[float]:
    """Solves a small system of linear equations; raises InktopError when it has not exactly one solution."""
    size = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda index: abs(rows[index][column]))
        if abs(rows[pivot][column]) < 1e-9:
            raise InktopError(
                "the marks lie on one line.\nTake the photo from the front, with all four corners in it."
            )
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for index in range(size):
            if index != column:
                factor = rows[index][column] / rows[column][column]
                rows[index] = [a - factor * b for a, b in zip(rows[index], rows[column])]
    return [rows[index][size] / rows[index][index] for index in range(size)]


def homography(source: Sequence[Point], target: Sequence[Point]) -> List[float]:
    """The eight coefficients that take four `source` points to their `target` points, a plane in perspective:
    x' = (a x + b y + c) / (g x + h y + 1), y' = (d x + e y + f) / (g x + h y + 1)."""
    matrix: List[List[float]] = []
    right: List[float] = []
    for (x, y), (u, v) in zip(source, target):
        matrix.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        matrix.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        right += [u, v]
    return solve(matrix, right)


def apply(coefficients: Sequence[float], point: Point) -> Point:
    """`point` taken through a homography."""
    a, b, c, d, e, f, g, h = coefficients
    x, y = point
    below = g * x + h * y + 1
    return ((a * x + b * y + c) / below, (d * x + e * y + f) / below)


def panel_marks() -> List[Point]:
    """The centres of the corner marks on the panel: top-left, top-right, bottom-right, bottom-left."""
    near = MARK_INSET + MARK_SIDE / 2
    return [
        (near, near),
        (PANEL_WIDTH - near, near),
        (PANEL_WIDTH - near, PANEL_HEIGHT - near),
        (near, PANEL_HEIGHT - near),
    ]


def small_marks() -> List[Point]:
    """The centres of the marks at mid-height, left and right."""
    near = MARK_INSET + SMALL_SIDE / 2
    return [(near, PANEL_HEIGHT / 2), (PANEL_WIDTH - near, PANEL_HEIGHT / 2)]


def _dark_share(mask: Image.Image, box: Tuple[float, float, float, float]) -> float:
    left, top, right, bottom = (round(value) for value in box)
    left, top = max(left, 0), max(top, 0)
    right, bottom = min(right, mask.width), min(bottom, mask.height)
    if right <= left or bottom <= top:
        return 0.0
    part = mask.crop((left, top, right, bottom))
    return part.histogram()[255] / (part.width * part.height)


def mark_candidates(mask: Image.Image) -> List[Tuple[Blob, bool]]:
    """Dark squares that stand alone on white, each with whether it is hollow."""
    found = []
    for blob in blobs(mask):
        if not (4 <= blob.width <= 80 and 4 <= blob.height <= 80):
            continue
        if not 0.5 <= blob.width / blob.height <= 2.0 or blob.share < 0.55:
            continue
        # White all around, half a side wide: letters and checkers have neighbours.
        wide, high = blob.width / 2, blob.height / 2
        around = (blob.left - wide, blob.top - high, blob.right + wide, blob.bottom + high)
        area = (blob.width + 2 * wide) * (blob.height + 2 * high)
        if _dark_share(mask, around) * area > blob.dark * 1.15 + 2:
            continue
        x, y = blob.centre
        core = (x - blob.width / 8, y - blob.height / 8, x + blob.width / 8 + 1, y + blob.height / 8 + 1)
        found.append((blob, _dark_share(mask, core) < 0.5))
    return found


def all_marks() -> List[Tuple[Point, int]]:
    """Centre and side of the six marks: the corners as in `panel_marks`, then the small ones."""
    corners = [(point, MARK_SIDE) for point in panel_marks()]
    return corners + [(point, SMALL_SIDE) for point in small_marks()]


#: Which four of them decide: the corners; and those that lie in the panel's first batch of rows.
CORNERS = (0, 1, 2, 3)
FIRST_BATCH = (0, 1, 5, 4)


def _area(points: Sequence[Point]) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, [*points[1:], points[0]])) / 2)


def _side(blob: Blob) -> float:
    return (blob.width + blob.height) / 2


def _seen(
    to_photo: Sequence[float], candidates: Sequence[Tuple[Blob, bool]]
) -> Tuple[Dict[int, Point], float]:
    """The marks that candidates stand for if the panel lies as `to_photo` says: place -> centre in the photo.

    And how far they are off in place and size, in sides of the marks.
    """
    seen = {}
    off = 0.0
    for place, (mark, side) in enumerate(all_marks()):
        x, y = apply(to_photo, mark)
        expected = max(math.dist((x, y), apply(to_photo, (mark[0] + side, mark[1]))), 1.0)
        for blob, hollow in candidates:
            away = math.dist(blob.centre, (x, y))
            grown = _side(blob) / expected
            if (
                away < 4 + expected / 4
                and 0.5 < grown < 2.0
                and (hollow == (place == 0) or side == SMALL_SIDE)
            ):
                seen[place] = blob.centre
                off += away / expected + abs(math.log(grown))
                break
    return seen, off


def _best_marks(candidates: List[Tuple[Blob, bool]]) -> Optional[Dict[int, Point]]:
    """The marks among `candidates` by the best guess at how the panel lies: at least five of the six."""
    best: Optional[Tuple[float, Dict[int, Point]]] = None
    # The outermost hollow squares: a picture may be full of others.
    middle = (
        sum(blob.centre[0] for blob, _ in candidates) / max(1, len(candidates)),
        sum(blob.centre[1] for blob, _ in candidates) / max(1, len(candidates)),
    )
    hollow = [blob for blob, is_hollow in candidates if is_hollow]
    hollow = sorted(hollow, key=lambda blob: -math.dist(blob.centre, middle))[:8]
    solid = [blob for blob, is_hollow in candidates if not is_hollow]
    for first in hollow:
        large = [blob for blob in solid if 0.5 < _side(blob) / _side(first) < 2.0]
        small = [blob for blob in solid if 0.25 < _side(blob) / _side(first) < 0.9]
        # Far ones first: the marks are the outermost squares there are.
        large = sorted(large, key=lambda blob: -math.dist(blob.centre, first.centre))[:10]
        guesses = [(CORNERS, (a, b, c)) for a, b, c in permutations(large, 3)]
        for a in large:
            left = [blob for blob in small if _below(first.centre, a.centre, blob.centre)]
            right = [blob for blob in small if _below(a.centre, first.centre, blob.centre)]
            guesses += [(FIRST_BATCH, (a, c, b)) for b in left for c in right if b is not c]
        for places, others in guesses:
            points = [first.centre, *(blob.centre for blob in others)]
            if not _turns_right(points):
                continue
            try:
                to_photo = homography([all_marks()[place][0] for place in places], points)
                corners = [apply(to_photo, mark) for mark in panel_marks()]
            except (InktopError, ZeroDivisionError):
                continue
            if not _turns_right(corners):
                continue
            seen, off = _seen(to_photo, candidates)
            if len(seen) < 5 or off > MOST_OFF * len(seen):
                continue
            score = len(seen) - off + 1e-9 * _area(corners)
            if best is None or score > best[0]:
                best = (score, seen)
    return None if best is None else best[1]


def _below(corner: Point, along: Point, point: Point) -> bool:
    """Whether `point` may be the mark at mid-height beside `corner`, the edge going to `along`.

    It lies at about a right angle to that edge, and about a quarter of its length away.
    """
    width = math.dist(corner, along)
    reach = math.dist(corner, point)
    if not 0.14 < reach / max(width, 1.0) < 0.5:
        return False
    dot = (along[0] - corner[0]) * (point[0] - corner[0]) + (along[1] - corner[1]) * (point[1] - corner[1])
    return abs(dot) < 0.6 * width * reach


def _turns_right(points: Sequence[Point]) -> bool:
    """Whether four corners go round clockwise (y down) without a dent: a panel seen from the front."""
    for index in range(4):
        a, b, c = points[index], points[(index + 1) % 4], points[(index + 2) % 4]
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 0:
            return False
    return True


def find_marks(grey: Image.Image) -> Dict[int, Point]:
    """The centres of the marks in a photo: place (as in `all_marks`) -> point. At least five.

    Raises InktopError when there are not as many squares where they should be, one of them hollow.
    """
    scale = max(1.0, grey.width / SEARCH_WIDTH)
    size = (round(grey.width / scale), round(grey.height / scale))
    small = grey if scale == 1.0 else grey.resize(size, Image.Resampling.BOX)
    # A wide surrounding suits marks on a white picture, a narrow one marks on their white ground in a
    # black one.
    found: Optional[Dict[int, Point]] = None
    for radius in (small.width // 40, small.width // 100, small.width // 64):
        seen = _best_marks(mark_candidates(local_threshold(small, max(6, radius))))
        # Five may be letters that look like marks: another surrounding may show all six.
        if seen is not None and (found is None or len(seen) > len(found)):
            found = seen
        if found is not None and len(found) == len(all_marks()):
            break
    if found is not None:
        return {place: (x * scale, y * scale) for place, (x, y) in found.items()}
    raise InktopError(
        "the marks were not found: a square in each corner of the screen, the top-left one hollow.\n"
        "Take the photo from the front, all four corners in it, sharp, without a reflection on a corner."
    )


def centre_of_ink(grey: Image.Image, near: Point, side: float) -> Point:
    """The centre of gravity of what is dark around `near`, within 0.9 of the mark's `side` each way."""
    reach = 0.9 * side
    left, top = max(0, round(near[0] - reach)), max(0, round(near[1] - reach))
    right, bottom = min(grey.width, round(near[0] + reach) + 1), min(grey.height, round(near[1] + reach) + 1)
    part = grey.crop((left, top, right, bottom))
    levels = sorted(part.tobytes())
    white = levels[len(levels) * 9 // 10]
    middle = (levels[len(levels) // 20] + white) / 2
    weight = x_sum = y_sum = 0.0
    data = part.tobytes()
    for index, level in enumerate(data):
        if level < middle:
            weight += white - level
            x_sum += (white - level) * (index % part.width + 0.5)
            y_sum += (white - level) * (index // part.width + 0.5)
    if weight == 0:
        return near
    return (left + x_sum / weight, top + y_sum / weight)


def straighten(photo: Image.Image) -> Straight:
    """The panel in `photo` as seen from straight ahead.

    Raises InktopError when the marks are not found or the photo is too coarse.
    """
    grey = photo.convert("L")
    marks = all_marks()
    seen = find_marks(grey)
    places = CORNERS if all(place in seen for place in CORNERS) else FIRST_BATCH
    if not all(place in seen for place in places):
        raise InktopError(
            "one mark in each half of the screen is covered.\nTake the photo with all six marks in it: "
            "the corners "
            "and the two at mid-height."
        )

    def fit(chosen: Sequence[int]) -> List[float]:
        return homography([marks[place][0] for place in chosen], [seen[place] for place in chosen])

    to_photo = fit(places)
    corners = [apply(to_photo, mark) for mark in panel_marks()]
    scale = (_area(corners) / _area(panel_marks())) ** 0.5
    if scale < 0.25:
        raise InktopError(
            f"the panel is only {round(PANEL_WIDTH * scale)} pixels wide in this photo.\n"
            "Go closer or use the camera's full resolution: 1000 pixels across the panel suffice."
        )
    for place, point in seen.items():
        (x, y), side = marks[place]
        across = math.dist(apply(to_photo, (x - side / 2, y)), apply(to_photo, (x + side / 2, y)))
        down = math.dist(apply(to_photo, (x, y - side / 2)), apply(to_photo, (x, y + side / 2)))
        seen[place] = centre_of_ink(grey, point, min(across, down))
    to_photo = fit(places)
    others = [place for place in seen if place not in places]
    residual = None
    if others:
        to_panel = homography([seen[place] for place in places], [marks[place][0] for place in places])
        residual = max(math.dist(apply(to_panel, seen[place]), marks[place][0]) for place in others)
        if residual > TRUSTED_RESIDUAL and all(place in seen for place in FIRST_BATCH):
            # The lower corners belong to the panel's second batch of rows and may be shifted with it.
            to_photo = fit(FIRST_BATCH)
    image = grey.transform(
        (PANEL_WIDTH, PANEL_HEIGHT), Image.Transform.PERSPECTIVE, to_photo, Image.Resampling.BICUBIC
    )
    return Straight(image, residual, tuple(sorted(seen)))


def _mark_rings(straight: Image.Image, seen: Sequence[int]) -> List[Tuple[Point, float, float]]:
    """For each mark its centre, the brightness of the paper around it and of its ink, 0 to 255."""
    rings = []
    for index, ((x, y), side) in enumerate(all_marks()):
        if index not in seen:
            continue
        reach = side // 2 + MARK_INSET - 5
        box = (round(x) - reach, round(y) - reach, round(x) + reach, round(y) + reach)
        levels = sorted(straight.crop(box).tobytes())
        if index == 0:  # hollow: its ink is a frame six pixels wide
            inner = straight.crop((round(x) - 10, round(y) - 10, round(x) - 7, round(y) + 10))
        else:
            inner = straight.crop((round(x) - 3, round(y) - 3, round(x) + 3, round(y) + 3))
        ink = sorted(inner.tobytes())
        rings.append(((x, y), float(levels[len(levels) * 7 // 10]), float(ink[len(ink) // 2])))
    return rings


def _terms(x: float, y: float) -> List[float]:
    u, v = x / PANEL_WIDTH - 0.5, y / PANEL_HEIGHT - 0.5
    return [1.0, u, v, u * v, u * u, v * v]


def _fit(samples: Sequence[Tuple[float, float, float, float]]) -> List[float]:
    """The curved surface through (x, y, brightness, weight): least squares."""
    size = 6
    matrix = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for x, y, value, weight in samples:
        terms = _terms(x, y)
        for row in range(size):
            right[row] += weight * terms[row] * value
            for column in range(size):
                matrix[row][column] += weight * terms[row] * terms[column]
    for row in range(size):
        matrix[row][row] += 1e-3 * (row > 2)  # the marks alone do not tell how it curves from left to right
    return solve(matrix, right)


def _height(surface: Sequence[float], x: float, y: float) -> float:
    return sum(a * b for a, b in zip(surface, _terms(x, y)))


def flatten(photo: Straight) -> Flat:
    """The paper at 255 and ink at 0 everywhere, whatever light falls on the panel.

    The ground of the marks is paper for certain; what is nearly as bright as the surface through them counts
    as paper too, so that a lamp's bright spot in the middle is no fault.
    """
    straight = photo.image
    rings = _mark_rings(straight, photo.seen)
    anchors = [(x, y, paper, 40.0) for (x, y), paper, _ in rings]
    cell = 16
    columns, rows = PANEL_WIDTH // cell, PANEL_HEIGHT // cell
    means = straight.resize((columns, rows), Image.Resampling.BOX).tobytes()
    surface = _fit(anchors)
    for _ in range(4):
        samples = list(anchors)
        for index, value in enumerate(means):
            x, y = (index % columns + 0.5) * cell, (index // columns + 0.5) * cell
            if 0.88 < value / max(1.0, _height(surface, x, y)) < 1.25:
                samples.append((x, y, float(value), 1.0))
        surface = _fit(samples)
    coarse = Image.new("L", (columns, rows))
    coarse.putdata(
        [
            max(1, min(255, round(_height(surface, (i % columns + 0.5) * cell, (i // columns + 0.5) * cell))))
            for i in range(columns * rows)
        ]
    )
    paper = coarse.resize(straight.size, Image.Resampling.BILINEAR)
    # Ink reflects some light, too: the same share of it everywhere.
    shares = sorted(ink / max(1.0, ground) for _, ground, ink in rings)
    ink = min(0.8, shares[len(shares) // 2]) * 255
    ratio = bytes(min(255, a * 255 // b) for a, b in zip(straight.tobytes(), paper.tobytes()))
    scaled = [max(0, min(255, round((level - ink) * 255 / (255 - ink)))) for level in range(256)]
    flat = Image.frombytes("L", straight.size, ratio).point(scaled)
    brighter = sum(
        value > 1.3 * _height(surface, (index % columns + 0.5) * cell, (index // columns + 0.5) * cell)
        for index, value in enumerate(means)
    )
    return Flat(flat, brighter / len(means))
