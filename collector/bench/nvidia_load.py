"""A load for NVIDIA's first card, by its driver alone: fills memory, and multiplies in a loop.

    python3 collector/bench/nvidia_load.py [SECONDS [GIB]]

Prints a word once it runs: ``kernel``, or ``memset`` where the driver cannot compile the kernel.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Callable

#: Eight multiplications and additions a turn, ``turns`` of them in each thread (PTX, any card since 2017).
KERNEL = """
.version 6.4
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 turns) {
  .reg .f32 %f<9>;
  .reg .u32 %r<4>;
  .reg .u64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  cvt.rn.f32.u32 %f1, %r2;
  mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
  mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f8, %f1;
AGAIN:
  fma.rn.f32 %f1, %f1, %f2, %f3;
  fma.rn.f32 %f2, %f2, %f3, %f4;
  fma.rn.f32 %f3, %f3, %f4, %f5;
  fma.rn.f32 %f4, %f4, %f5, %f6;
  fma.rn.f32 %f5, %f5, %f6, %f7;
  fma.rn.f32 %f6, %f6, %f7, %f8;
  fma.rn.f32 %f7, %f7, %f8, %f1;
  fma.rn.f32 %f8, %f8, %f1, %f2;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra AGAIN;
  add.f32 %f1, %f1, %f5;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f1;
  ret;
}
"""
TURNS = 1 << 19
#: Enough to fill every card.
BLOCKS, THREADS = 2048, 256


class Driver:
    """NVIDIA's driver API."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libcuda.so.1")

    def call(self, name: str, *arguments: object) -> None:
        """One call. Raises RuntimeError with its code."""
        code = getattr(self._library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: CUDA error {code}")


def kernel(driver: Driver, memory: ctypes.c_uint64) -> Callable[[], None]:
    """Starts the kernel once. Raises RuntimeError."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(KERNEL.encode()))
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"spin")
    turns = ctypes.c_uint(TURNS)
    pointers = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(turns))

    def start() -> None:
        # The arguments must live as long as the closure does.
        assert turns.value == TURNS
        driver.call("cuLaunchKernel", function, BLOCKS, 1, 1, THREADS, 1, 1, 0, None, pointers, None)

    return start


def main(seconds: float, gib: int) -> None:
    """Runs the load for that time, with that much memory."""
    driver = Driver()
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    driver.call("cuInit", 0)
    driver.call("cuDeviceGet", ctypes.byref(device), 0)
    driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver.call("cuCtxSetCurrent", context)
    size = gib << 30
    driver.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))

    def fill() -> None:
        driver.call("cuMemsetD32_v2", memory, 0, ctypes.c_size_t(size // 4))

    fill()
    driver.call("cuCtxSynchronize")
    try:
        step = kernel(driver, memory)
        word = "kernel"
    except RuntimeError as problem:
        print(problem, file=sys.stderr)
        step, word = fill, "memset"
    step()
    driver.call("cuCtxSynchronize")
    print(word, flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step()
        driver.call("cuCtxSynchronize")


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 60, int(sys.argv[2]) if sys.argv[2:] else 20)
