"""Makes photos of a panel as a phone takes them, from a seed; shares no code with the diagnosis.

A photo is a scene through a camera: the panel in its bezel on a desk, in perspective, bent by a lens whose
centre is not the middle, under uneven light, with glare, shadow and a finger, blurred, noisy, saved as JPEG.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Tuple

import cv2
import numpy as np
from PIL import Image

Array = Any

WIDTH, HEIGHT = 1920, 1080
GRADES = ("easy", "medium", "hard")


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


LIMITS = {
    "easy": Grade(0.03, 3, 0.01, 0.15, (0.3, 0.8), 0.0, (1, 3), (85, 95), (5, 12), (0.7, 0.92), 0.0),
    "medium": Grade(0.08, 10, 0.035, 0.35, (0.5, 1.4), 1.5, (2, 6), (70, 92), (3, 12), (0.6, 0.9), 0.25),
    "hard": Grade(0.15, 25, 0.06, 0.55, (0.8, 2.4), 4.0, (4, 12), (50, 85), (2, 8), (0.55, 0.9), 0.5),
}


@dataclass(frozen=True)
class Photo:
    """The JPEG and where the panel's corners are in it, pixels."""

    jpeg: bytes
    corners: Array
    seed: int
    grade: str

    def pixels(self) -> Array:
        """As BGR bytes."""
        return cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR)


def take(panel: Array, seed: int, grade: str, megapixels: float = 0.0) -> Photo:
    """A photo of `panel` (levels 0 … 255, rows by columns); the same for the same seed."""
    dice = np.random.default_rng([seed, GRADES.index(grade)])
    limit = LIMITS[grade]
    area = (megapixels or dice.uniform(*limit.megapixels)) * 1e6
    width = int((area * 4 / 3) ** 0.5)
    height = int(width * 3 / 4)
    placed = _corners(dice, limit, width, height)
    forth = cv2.getPerspectiveTransform(
        np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32), placed.astype(np.float32)
    )
    scale = np.sqrt(abs(cv2.contourArea(placed.astype(np.float32))) / (WIDTH * HEIGHT))
    bend = dice.uniform(-limit.lens, limit.lens)
    middle = np.array([width, height]) * dice.uniform(0.46, 0.54, 2)
    xs, ys = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    flat_x, flat_y = _bent(xs, ys, middle, bend, width, height)
    back = np.linalg.inv(forth)
    depth = back[2, 0] * flat_x + back[2, 1] * flat_y + back[2, 2]
    px = ((back[0, 0] * flat_x + back[0, 1] * flat_y + back[0, 2]) / depth).astype(np.float32)
    py = ((back[1, 0] * flat_x + back[1, 1] * flat_y + back[1, 2]) / depth).astype(np.float32)
    scene = _scene(dice, panel, px, py, scale)
    scene *= _light(dice, limit, xs / width, ys / height)
    scene = _disturb(dice, limit, scene, px, py)
    sigma = dice.uniform(*limit.blur) * scale
    scene = cv2.GaussianBlur(scene, (0, 0), max(0.3, sigma))
    length = dice.uniform(0, limit.motion) * scale
    if length > 1:
        scene = cv2.filter2D(scene, -1, _motion(length, dice.uniform(0, np.pi)))
    tint = np.array([dice.uniform(0.85, 1.05), 1.0, dice.uniform(0.92, 1.12)], np.float32)
    colour = scene * tint * dice.uniform(0.75, 1.0)
    colour = 255 * np.clip(colour, 0, 1) ** (1 / dice.uniform(1.0, 1.3))
    colour += dice.normal(0, dice.uniform(*limit.noise), (height, width, 1)).astype(np.float32)
    colour += dice.normal(0, 1.5, colour.shape).astype(np.float32)
    image = Image.fromarray(np.clip(colour[:, :, ::-1], 0, 255).astype(np.uint8))
    quarter = int(dice.integers(0, 4)) if grade != "easy" else 0
    exif = Image.Exif()
    if quarter and dice.random() < 0.5:  # the camera says how it was held
        image = image.rotate(90 * quarter, expand=True)
        exif[274] = {1: 6, 2: 3, 3: 8}[quarter]
        quarter = 0
    if quarter:
        image = image.rotate(90 * quarter, expand=True)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=int(dice.integers(*limit.quality)), exif=exif)
    return Photo(out.getvalue(), placed, seed, grade)


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
    if cropped:  # an edge is cut off
        return (
            (corners - centre) * shrink
            + centre
            + np.array([dice.choice([-1, 1]), 0]) * ((width - (high - low)[0] * shrink) / 2 + 0.05 * width)
        )
    corners = (corners - corners.mean(axis=0)) * shrink * 0.97
    low, high = corners.min(axis=0), corners.max(axis=0)
    slack = np.array([width, height]) - (high - low) - room
    return corners - low + room / 2 + slack * dice.uniform(0.3, 0.7, 2)


def _bent(xs: Array, ys: Array, middle: Array, bend: float, width: int, height: int) -> Tuple[Array, Array]:
    half = np.hypot(width, height) / 2
    dx, dy = (xs - middle[0]) / half, (ys - middle[1]) / half
    grown = 1 + bend * (dx * dx + dy * dy)
    return middle[0] + dx * grown * half, middle[1] + dy * grown * half


def _scene(dice: Any, panel: Array, px: Array, py: Array, scale: float) -> Array:
    """Desk, bezel and panel in linear light, three channels."""
    if scale < 0.9:  # more than a panel pixel in a photo pixel
        panel = cv2.GaussianBlur(panel, (0, 0), 0.45 / scale)
    ink, paper = dice.uniform(0.05, 0.16), dice.uniform(0.55, 0.8)
    levels = (ink + (paper - ink) * panel.astype(np.float32) / 255).astype(np.float32)
    shown = cv2.remap(levels, px - 0.5, py - 0.5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    desk = np.float32(dice.uniform(0.05, 0.6)) * np.ones_like(px)
    coarse = dice.normal(0, 0.08, (24, 32)).astype(np.float32)
    desk += cv2.resize(coarse, (px.shape[1], px.shape[0]), interpolation=cv2.INTER_CUBIC)
    for _ in range(int(dice.integers(2, 9))):  # things on the desk
        at = dice.uniform(-400, 2300, 2)
        side = dice.uniform(60, 500, 2)
        thing = (abs(px - at[0]) < side[0]) & (abs(py - at[1]) < side[1])
        desk[thing] = dice.uniform(0.03, 0.8)
    border = dice.uniform(25, 90)
    frame = (px > -border) & (px < WIDTH + border) & (py > -border) & (py < HEIGHT + border)
    desk[frame] = dice.choice([dice.uniform(0.02, 0.08), dice.uniform(0.3, 0.45), dice.uniform(0.75, 0.9)])
    inside = (px >= 0) & (px < WIDTH) & (py >= 0) & (py < HEIGHT)
    desk[inside] = shown[inside]
    return np.repeat(np.clip(desk, 0, 1)[:, :, None], 3, axis=2)


def _light(dice: Any, limit: Grade, u: Array, v: Array) -> Array:
    turn = dice.uniform(0, 2 * np.pi)
    across = np.cos(turn) * (u - 0.5) + np.sin(turn) * (v - 0.5)
    light = 1 - limit.falloff * dice.uniform(0, 1) * (0.5 + across)
    light -= limit.falloff * dice.uniform(0, 0.6) * ((u - 0.5) ** 2 + (v - 0.5) ** 2)
    return light[:, :, None].astype(np.float32)


def _disturb(dice: Any, limit: Grade, scene: Array, px: Array, py: Array) -> Array:
    if dice.random() < limit.disturbed:  # shadow of a hand or the phone
        at, turn = dice.uniform(0, 1, 2) * (WIDTH, HEIGHT), dice.uniform(0, 2 * np.pi)
        side = (px - at[0]) * np.cos(turn) + (py - at[1]) * np.sin(turn)
        soft = 1 / (1 + np.exp(-np.clip(side / dice.uniform(25, 120), -30, 30)))
        scene = scene * (1 - dice.uniform(0.15, 0.45) * soft)[:, :, None]
    if dice.random() < limit.disturbed:  # a lamp or a window
        at, size = dice.uniform(0, 1, 2) * (WIDTH, HEIGHT), dice.uniform(80, 260, 2)
        spot = np.exp(-(((px - at[0]) / size[0]) ** 2) - ((py - at[1]) / size[1]) ** 2)
        scene = scene + (dice.uniform(0.15, 0.9) * spot)[:, :, None]
    if dice.random() < limit.disturbed:  # a finger over a corner
        corner = np.array([dice.choice([0, WIDTH]), dice.choice([0, HEIGHT])])
        reach, wide = dice.uniform(60, 200), dice.uniform(35, 70)
        inward = np.where(corner > 0, -1, 1) / np.sqrt(2)
        along = (px - corner[0]) * inward[0] + (py - corner[1]) * inward[1]
        beside = (px - corner[0]) * inward[1] - (py - corner[1]) * inward[0]
        over = np.where(along < reach - wide, abs(beside), np.hypot(along - reach + wide, beside)) < wide
        over &= along > -500
        shade = (1 - 0.4 * (np.clip(beside, -wide, wide) / wide) ** 2)[over][:, None]
        scene[over] = shade * np.array([0.38, 0.45, 0.65]) * dice.uniform(0.5, 1.1)
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
