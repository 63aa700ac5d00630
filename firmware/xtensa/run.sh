#!/bin/sh
# Runs the self-test course natively and on an emulated Xtensa core and compares what they print, byte for byte; then compiles
# the core once more with the integer types of ESP-IDF 5. Everything comes from Debian packages; results go to build/xtensa.
# shellcheck disable=SC2086 # the lists of flags and files are meant to split
set -eu
out=build/xtensa
here=firmware/xtensa
need() { sh .ci/need.sh "$@"; }
need gcc-xtensa-lx106 xtensa-lx106-elf-g++ --version
need picolibc-xtensa-lx106-elf test -e /usr/lib/xtensa-lx106-elf/picolibc.specs
need qemu-system-misc qemu-system-xtensa --version
mkdir -p "$out"

# The C++ headers of another newlib target: only the headers, installing the package would bring a whole compiler.
if [ ! -d "$out/headers" ]; then
  (cd "$out" && { apt-get download -qq libstdc++-arm-none-eabi-dev 2>/dev/null ||
    { apt-get update -qq && apt-get download -qq libstdc++-arm-none-eabi-dev; }; })
  dpkg -x "$out"/libstdc++-arm-none-eabi-dev_*.deb "$out/headers"
fi
cxx_headers=$(echo "$out"/headers/usr/include/newlib/c++/*)

flags="--specs=/usr/lib/xtensa-lx106-elf/picolibc.specs -O2 -mtext-section-literals -ffunction-sections -fdata-sections"
includes="-Iprotocol/cpp -Ifirmware/core -I."
cxx="-std=c++17 -nostdinc++ -isystem $cxx_headers -isystem $cxx_headers/arm-none-eabi -fno-exceptions -fno-rtti"
cxx="$cxx -fno-threadsafe-statics -Wall -Wextra -Werror $includes"
idf5="-U__INT32_TYPE__ -D__INT32_TYPE__='long int' -U__UINT32_TYPE__ -D__UINT32_TYPE__='long unsigned int'"
sources="protocol/cpp/*.cpp firmware/core/*/*.cpp firmware/core/*/*/*.cpp selftest/*.cpp"

xtensa-lx106-elf-gcc $flags -c "$here/start.S" -o "$out/start.o"
xtensa-lx106-elf-gcc $flags -ffreestanding -c "$here/runtime.c" -o "$out/runtime.o"
objects=""
main_objects="$out/$(echo "$here" | tr / _)_main.cpp.o"
count_objects="$out/$(echo "$here" | tr / _)_counts.cpp.o"
for source in $sources $here/main.cpp $here/counts.cpp; do
  object="$out/$(echo "$source" | tr / _).o"
  case $source in "$here"/*) ;; *) objects="$objects $object" ;; esac
  if [ ! -e "$object" ] || [ -n "$(find protocol/cpp firmware/core selftest "$here" -newer "$object" -name '*.[hc]*' | head -1)" ]; then
    xtensa-lx106-elf-g++ $flags $cxx -c "$source" -o "$object"
    eval "xtensa-lx106-elf-g++ $flags $cxx $idf5 -fsyntax-only $source"
  fi
done
link() { # PROGRAM STACK OBJECT...
  program=$1 stack=$2
  shift 2
  xtensa-lx106-elf-gcc $flags -nostartfiles -T "$here/link.ld" "$out/start.o" "$out/runtime.o" "$@" -o "$program" \
    -Wl,--gc-sections -Wl,--no-warn-rwx-segments -Wl,--defsym=__stack_size="$stack"
}
link "$out/core.elf" 0x2000 $objects $main_objects # 8 KiB: more traps
link "$out/counts.elf" 0x2000 $objects $count_objects
emulate() { # PROGRAM OPTION...: what it prints
  program=$1
  shift
  timeout 300 qemu-system-xtensa -M sim -cpu lx106 -m 16M -semihosting -display none -monitor none -serial none "$@" \
    -kernel "$program" </dev/null
}
c++ -std=c++17 -O2 $includes $sources $here/main.cpp -o "$out/native"

"$out/native" >"$out/native.txt"
emulate "$out/core.elf" >"$out/xtensa.txt"
if ! diff "$out/native.txt" "$out/xtensa.txt"; then
  echo "error: the core does not draw or drive the same on Xtensa: compare $out/native.txt and $out/xtensa.txt" >&2
  exit 1
fi
xtensa-lx106-elf-size "$out/core.elf"
echo "the self-test course is the same on Xtensa as here: $(grep -c ' crc ' "$out/xtensa.txt") stages"

# One instruction is one nanosecond of the emulated clock, by which the chip's counter runs.
emulate "$out/counts.elf" -icount shift=0 >"$out/counts.txt"
xtensa-lx106-elf-size -A "$out/counts.elf" >"$out/size.txt"
python3 "$here/counts.py" "$out/counts.txt" "$out/size.txt" "$@"
