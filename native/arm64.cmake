# Compiles the engine and its tests for Linux on arm64 with Debian's cross compiler; qemu runs the tests.
# TRUNKLINE_ARM64_ROOT: a folder with Debian's arm64 packages of the libraries (scripts/native/arm64.mjs).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRUNKLINE_ARM64_ROOT)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu neoverse-n1 -L "${TRUNKLINE_ARM64_ROOT}/neoverse-n1")
# The libraries and packages of the machine that compiles are of another architecture.
set(CMAKE_FIND_ROOT_PATH "${TRUNKLINE_ARM64_ROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The libraries need others in turn.
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-Wl,-rpath-link,${TRUNKLINE_ARM64_ROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${CMAKE_SHARED_LINKER_FLAGS_INIT}")
