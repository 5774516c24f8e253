# One GoogleTest program per room: native/test/ROOM/*.cc -> test_ROOM.
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  if(NOT EXISTS /usr/src/googletest/CMakeLists.txt)
    message(FATAL_ERROR "GoogleTest is missing: apt-get install libgtest-dev googletest")
  endif()
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
  add_library(GTest::gtest_main ALIAS gtest_main)
  add_library(GTest::gtest ALIAS gtest)
endif()
include(GoogleTest)

# Libraries that are not what the loader wants: native/test/onnx/fakes/NAME.cc -> libNAME.so beside the tests.
file(GLOB fake_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/onnx/fakes/*.cc")
foreach(source IN LISTS fake_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_library(${name} MODULE "${source}")
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  list(APPEND fake_libraries ${name})
endforeach()

foreach(room base guard dsp onnx text vad asr speaker tts engine rtp echo hear amd mark speak cast dub embed omni)
  file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/${room}/*.cc")
  list(FILTER test_sources EXCLUDE REGEX "/fakes/")
  if(test_sources)
    add_executable(test_${room} ${test_sources})
    target_include_directories(test_${room} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(test_${room} PRIVATE
      TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/.."
      TRUNKLINE_TEST_LIBRARIES="${CMAKE_CURRENT_BINARY_DIR}"
      TRUNKLINE_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/test/vectors")
    target_link_libraries(test_${room} PRIVATE trunkline_${room} GTest::gtest_main)
    # Under a sanitizer it is the rooms that are looked at: a third of the time to compile their tests is optimizing them.
    if(TRUNKLINE_SANITIZE)
      target_compile_options(test_${room} PRIVATE -O0)
    endif()
    list(LENGTH test_sources files)
    if(TRUNKLINE_PCH AND files GREATER 4)
      target_precompile_headers(test_${room} PRIVATE ${TRUNKLINE_READ_BY_ALL} <gtest/gtest.h>)
    endif()
    gtest_discover_tests(test_${room} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  endif()
endforeach()

# 8-bit products again on lesser processors, which qemu stands in for: with SSE4 alone, and with AVX2 but no VNNI.
find_program(TRUNKLINE_QEMU qemu-x86_64)
if(TRUNKLINE_QEMU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  foreach(processor Nehalem Haswell)
    add_test(NAME ${processor}.EightBit COMMAND ${TRUNKLINE_QEMU} -cpu ${processor} $<TARGET_FILE:test_onnx>
      --gtest_filter=EightBit.* --gtest_brief=1)
    set_tests_properties(${processor}.EightBit PROPERTIES TIMEOUT 600)
  endforeach()
endif()

# Recognition again as a processor without VNNI does it, where this one has more than AVX2. The engine's kernels and the form
# of the weights are those of AVX2 then; the library's own kernels know no such switch and stay those of this processor.
set(more_than_avx2 "")
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo more_than_avx2 REGEX "^flags.*(avx512f|avx_vnni)" LIMIT_COUNT 1)
endif()
if(more_than_avx2)
  add_test(NAME avx2.Recognition COMMAND test_asr --gtest_brief=1)
  add_test(NAME avx2.TranscribeJob COMMAND test_hear --gtest_filter=TranscribeJobTest.* --gtest_brief=1)
  add_test(NAME avx2.EightBit COMMAND test_onnx --gtest_filter=EightBit.* --gtest_brief=1)
  set_tests_properties(avx2.Recognition avx2.TranscribeJob avx2.EightBit PROPERTIES
    ENVIRONMENT TRUNKLINE_CPU=avx2 TIMEOUT 900)
endif()

# What recordings tell of a setting, by the engine's own classes in virtual time: native/test/measure/NAME.cc -> measure_NAME.
file(GLOB measure_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/measure/*.cc")
foreach(source IN LISTS measure_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(measure_${name} EXCLUDE_FROM_ALL "${source}")
  target_include_directories(measure_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(measure_${name} PRIVATE
    TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/.." TRUNKLINE_PHONEMES="$<TARGET_FILE:trunkline-phonemes>")
  target_link_libraries(measure_${name} PRIVATE trunkline_omni GTest::gtest)
  add_dependencies(measure_${name} trunkline-phonemes)
endforeach()

foreach(room text tts hear speak omni)
  if(TARGET test_${room})
    add_dependencies(test_${room} trunkline-phonemes)
    target_compile_definitions(test_${room} PRIVATE TRUNKLINE_PHONEMES="$<TARGET_FILE:trunkline-phonemes>")
  endif()
endforeach()
if(TARGET test_onnx)
  add_dependencies(test_onnx ${fake_libraries})
endif()
