"""Makes photos of a panel as a phone takes them, from a seed; shares no code with the diagnosis.

A photo is a scene (`surroundings`: a desk, a wall or a shelf, with the panel in its bezel) through a camera:
perspective, a lens whose centre is not the middle, uneven light of some colour, glare, a shadow and a finger,
blur, noise, what phones do to make it look better, and JPEG or HEIC.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Tuple

import cv2
import numpy as np
from PIL import Image
from tests.photo import surroundings

Array = Any

WIDTH, HEIGHT = 1920, 1080
GRADES = ("easy", "medium", "hard")
_COARSE = 8


@dataclass(frozen=True)
class Grade:
    """Upper bounds of what is drawn at random."""

    tilt: float  # how far a corner moves, of the panel's size
    turn_deg: float
    lens: float  # radial distortion at the photo's corner, of its half diagonal
    falloff: float  # of the light, across the panel and towards the corners
    blur: Tuple[float, float]  # sigma in panel pixels
    motion: float  # length in panel pixels
    noise: Tuple[float, float]  # levels
    quality: Tuple[int, int]  # JPEG
    megapixels: Tuple[float, float]
    fill: Tuple[float, float]  # of the photo's width
    disturbed: float  # chance each of shadow, glare, finger, crop
    texture: float  # of the paper, of its brightness
    moire: float
    sharpened: float  # by the phone: how much of an unsharp mask
    smoothed: float  # chance that the phone takes noise, and detail, out
    exposure: Tuple[float, float]


LIMITS = {
    "easy": Grade(
        0.03, 3, 0.01, 0.15, (0.3, 0.8), 0.0, (1, 3), (85, 95), (5, 12), (0.7, 0.92), 0.0,
        0.006, 0.004, 0.4, 0.0, (0.8, 1.0),
    ),
    "medium": Grade(
        0.08, 10, 0.035, 0.35, (0.5, 1.4), 1.5, (2, 6), (70, 92), (3, 12), (0.6, 0.9), 0.25,
        0.012, 0.012, 0.8, 0.3, (0.65, 1.0),
    ),
    "hard": Grade(
        0.15, 25, 0.06, 0.55, (0.8, 2.4), 4.0, (4, 12), (60, 85), (2, 8), (0.55, 0.9), 0.5,
        0.02, 0.025, 1.2, 0.5, (0.4, 1.05),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Photo:
    """The file and where the panel's corners are in it before it was turned, pixels."""

    jpeg: bytes
    corners: Array
    seed: int
    grade: str


def take(panel: Array, seed: int, grade: str, megapixels: float = 0.0) -> Photo:
    """A photo of `panel` (levels 0 … 255, rows by columns); the same for the same seed."""
    dice = np.random.default_rng([seed, GRADES.index(grade)])
    limit = LIMITS[grade]
    area = (megapixels or dice.uniform(*limit.megapixels)) * 1e6
    width = int((area * 4 / 3) ** 0.5)
    height = int(width * 3 / 4)
    placed = _corners(dice, limit, width, height)
    scale = np.sqrt(abs(cv2.contourArea(placed.astype(np.float32))) / (WIDTH * HEIGHT))
    px, py = _to_panel(dice, limit, placed, width, height)
    scene = surroundings.around(dice, width, height, px, py)
    scene = _with_panel(dice, limit, scene, panel, px, py, scale)
    scene = _lit(dice, limit, scene, px, py)
    sigma = dice.uniform(*limit.blur) * scale
    scene = cv2.GaussianBlur(scene, (0, 0), max(0.3, sigma))
    length = dice.uniform(0, limit.motion) * scale
    if length > 1:
        scene = cv2.filter2D(scene, -1, _motion(length, dice.uniform(0, np.pi)))
    return Photo(_file(dice, _developed(dice, limit, scene), limit, grade), placed, seed, grade)


def _corners(dice: Any, limit: Grade, width: int, height: int) -> Array:
    across = dice.uniform(*limit.fill) * width
    tall = across * HEIGHT / WIDTH
    corners = np.array([[-across, -tall], [across, -tall], [across, tall], [-across, tall]]) / 2
    corners += dice.uniform(-limit.tilt, limit.tilt, (4, 2)) * across / 2
    turn = np.radians(dice.uniform(-limit.turn_deg, limit.turn_deg))
    corners = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    centre = np.array([width, height]) / 2 + dice.uniform(-0.03, 0.03, 2) * width
    corners += centre
    low, high = corners.min(axis=0), corners.max(axis=0)
    cropped = dice.random() < limit.disturbed * 0.5
    room = 0.02 * width
    shrink = min(1.0, *((np.array([width, height]) - 2 * room) / (high - low)))
    if cropped:  # an edge, or a corner, is cut off
        way = np.array([dice.choice([-1, 1]), dice.choice([-1, 0, 1])])
        room_left = (np.array([width, height]) - (high - low) * shrink) / 2
        return (corners - centre) * shrink + centre + way * (room_left + dice.uniform(0.01, 0.05) * width)
    corners = (corners - corners.mean(axis=0)) * shrink * 0.97
    low, high = corners.min(axis=0), corners.max(axis=0)
    slack = np.array([width, height]) - (high - low) - room
    return corners - low + room / 2 + slack * dice.uniform(0.3, 0.7, 2)


def _to_panel(dice: Any, limit: Grade, placed: Array, width: int, height: int) -> Tuple[Array, Array]:
    """For each pixel of the photo its place on the panel, panel pixels."""
    square = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    back = np.linalg.inv(cv2.getPerspectiveTransform(square, placed.astype(np.float32)))
    bend = dice.uniform(-limit.lens, limit.lens)
    middle = np.array([width, height]) * dice.uniform(0.46, 0.54, 2)
    # Smooth, so computed at every eighth pixel.
    xs, ys = np.meshgrid(np.arange(0.0, width + _COARSE, _COARSE), np.arange(0.0, height + _COARSE, _COARSE))
    half = np.hypot(width, height) / 2
    dx, dy = (xs - middle[0]) / half, (ys - middle[1]) / half
    grown = 1 + bend * (dx * dx + dy * dy)
    x, y = middle[0] + dx * grown * half, middle[1] + dy * grown * half
    depth = back[2, 0] * x + back[2, 1] * y + back[2, 2]
    coarse = np.stack(
        [
            (back[0, 0] * x + back[0, 1] * y + back[0, 2]) / depth,
            (back[1, 0] * x + back[1, 1] * y + back[1, 2]) / depth,
        ],
        axis=-1,
    ).astype(np.float32)
    u, v = np.meshgrid(
        np.arange(width, dtype=np.float32) / _COARSE, np.arange(height, dtype=np.float32) / _COARSE
    )
    fine = cv2.remap(coarse, u, v, cv2.INTER_LINEAR)
    return np.ascontiguousarray(fine[:, :, 0]), np.ascontiguousarray(fine[:, :, 1])


def _with_panel(
    dice: Any, limit: Grade, scene: Array, panel: Array, px: Array, py: Array, scale: float
) -> Array:
    panel = panel.astype(np.float32)
    if scale < 0.9:  # more than a panel pixel in a photo pixel
        panel = cv2.GaussianBlur(panel, (0, 0), 0.45 / scale)
    ink, paper = dice.uniform(0.05, 0.16), dice.uniform(0.55, 0.8)
    levels = ink + (paper - ink) / 255 * panel
    grain = dice.normal(0, limit.texture * dice.uniform(0, 1), (HEIGHT // 2, WIDTH // 2)).astype(np.float32)
    levels *= 1 + cv2.resize(grain, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    shown = cv2.remap(levels, px - 0.5, py - 0.5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    # The panel's grid against the camera's.
    strength = limit.moire * dice.uniform(-1, 1)
    if strength > 0:
        wave = dice.uniform(-1, 1, 2) / dice.uniform(6, 60)
        shown *= 1 + strength * np.sin(2 * np.pi * (px * wave[0] + py * wave[1]) + dice.uniform(0, 6))
    inward = np.minimum(np.minimum(px, WIDTH - px), np.minimum(py, HEIGHT - py))
    share = np.clip(inward * scale + 0.5, 0, 1)[:, :, None]
    sheet = np.array(dice.uniform(0.96, 1.04, 3), np.float32)  # paper is not quite grey
    return scene * (1 - share) + (shown[:, :, None] * sheet) * share


def _lit(dice: Any, limit: Grade, scene: Array, px: Array, py: Array) -> Array:
    height, width = px.shape
    u = (np.arange(width, dtype=np.float32) / width - 0.5)[None, :]
    v = (np.arange(height, dtype=np.float32) / height - 0.5)[:, None]
    turn = dice.uniform(0, 2 * np.pi)
    light = 1 - np.float32(limit.falloff * dice.uniform(0, 1)) * (
        0.5 + np.float32(np.cos(turn)) * u + np.float32(np.sin(turn)) * v
    )
    light = light - np.float32(limit.falloff * dice.uniform(0, 0.6)) * (u * u + v * v)
    if dice.random() < limit.disturbed:  # shadow of a hand or the phone, hard or soft
        at, turn = dice.uniform(0, 1, 2) * (WIDTH, HEIGHT), dice.uniform(0, 2 * np.pi)
        side = (px - at[0]) * np.cos(turn) + (py - at[1]) * np.sin(turn)
        softness = np.exp(dice.uniform(np.log(8), np.log(120)))
        light = light * (1 - dice.uniform(0.15, 0.45) / (1 + np.exp(-np.clip(side / softness, -30, 30))))
    scene = scene * light[:, :, None].astype(np.float32)
    for chance in (limit.disturbed, limit.disturbed / 3):  # a lamp or a window
        if dice.random() < chance:
            at, size = dice.uniform(0, 1, 2) * (WIDTH, HEIGHT), dice.uniform(50, 260, 2)
            far = ((px - at[0]) / size[0]) ** 2 + ((py - at[1]) / size[1]) ** 2
            spot = np.exp(-far) if dice.random() < 0.7 else 1 / (1 + np.exp(np.clip(8 * (far - 1), -30, 30)))
            scene = scene + (dice.uniform(0.15, 0.9) * spot)[:, :, None]
    if dice.random() < limit.disturbed:
        scene = surroundings.with_finger(dice, scene, px, py, (WIDTH, HEIGHT))
    return scene.astype(np.float32)


def _motion(length: float, turn: float) -> Array:
    side = int(length) * 2 + 3
    kernel = np.zeros((side, side), np.float32)
    end = np.array([np.cos(turn), np.sin(turn)]) * length / 2
    middle = side // 2
    for step in np.linspace(-1, 1, 41):
        x, y = middle + end * step
        kernel[round(y), round(x)] += 1
    return kernel / kernel.sum()


def _developed(dice: Any, limit: Grade, scene: Array) -> Array:
    """What a phone makes of the light: BGR bytes."""
    warmth = dice.uniform(-0.1, 0.22)  # of the lamp, less what the phone's white balance takes out
    tint = np.array([1 - warmth, 1.0, 1 + 0.6 * warmth], np.float32)
    colour = scene * (tint * np.float32(dice.uniform(*limit.exposure)))
    height, width = colour.shape[:2]
    colour = np.float32(255) * np.clip(colour, 0, 1) ** np.float32(1 / dice.uniform(1.0, 1.3))
    colour += dice.standard_normal((height, width, 1), np.float32) * np.float32(dice.uniform(*limit.noise))
    # Noise of the colour is coarser.
    coarse = dice.standard_normal((height // 2 + 1, width // 2 + 1, 3), np.float32) * np.float32(1.5)
    colour += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_NEAREST)
    out = np.clip(colour, 0, 255).astype(np.uint8)
    if dice.random() < limit.smoothed:
        out = cv2.medianBlur(out, 3) if dice.random() < 0.3 else cv2.bilateralFilter(out, 5, 25, 2)
    amount = dice.uniform(-0.5, 1) * limit.sharpened
    if amount > 0:
        out = cv2.addWeighted(
            out, 1 + amount, cv2.GaussianBlur(out, (0, 0), dice.uniform(0.8, 2)), -amount, 0
        )
    return out


def _file(dice: Any, pixels: Array, limit: Grade, grade: str) -> bytes:
    image = Image.fromarray(np.ascontiguousarray(pixels[:, :, ::-1]))
    quarter = int(dice.integers(0, 4)) if grade != "easy" else 0
    exif = Image.Exif()
    if quarter and dice.random() < 0.5:  # the camera says how it was held
        exif[274] = {1: 6, 2: 3, 3: 8}[quarter]
    if quarter:
        image = image.rotate(90 * quarter, expand=True)
    out = io.BytesIO()
    quality = int(dice.integers(*limit.quality))
    if dice.random() < 0.03:
        import pillow_heif

        pillow_heif.register_heif_opener()
        image.save(out, "HEIF", quality=quality)  # turned, as the file itself says
    else:
        image.save(out, "JPEG", quality=quality, exif=exif)
    return out.getvalue()
