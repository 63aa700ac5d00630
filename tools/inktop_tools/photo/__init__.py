"""From a photo of the panel to the layer at fault; needs OpenCV and NumPy."""

import os

# Before NumPy is loaded: on matrices as small as these its threads only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
