# One GoogleTest program for each module that has tests: native/test/lanes/hear/*.cc -> test_hear; all of text is one.
find_package(GTest QUIET)
if(NOT GTest_FOUND)
  if(NOT EXISTS /usr/src/googletest/CMakeLists.txt)
    message(FATAL_ERROR "GoogleTest is missing: apt-get install libgtest-dev googletest")
  endif()
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL)
  # Newer versions define these names themselves.
  foreach(library gtest gtest_main)
    if(NOT TARGET GTest::${library})
      add_library(GTest::${library} ALIAS ${library})
    endif()
  endforeach()
endif()
include(GoogleTest)

# Libraries that the loader has to refuse: native/test/onnx/fakes/NAME.cc -> libNAME.so beside the tests.
file(GLOB fake_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/onnx/fakes/*.cc")
foreach(source IN LISTS fake_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_library(${name} MODULE "${source}")
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  list(APPEND fake_libraries ${name})
endforeach()

foreach(folder base dsp dsp/watermark onnx text vad asr speaker tts enhance engine lanes/hear lanes/rtp lanes/echo lanes/denoise
        lanes/amd lanes/speak lanes/cast lanes/embed lanes/omni binding/guard)
  trunkline_module_name("${folder}" module)
  set(tests "${CMAKE_CURRENT_SOURCE_DIR}/test/${folder}")
  if(folder STREQUAL text)
    file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${tests}/*.cc")
  else()
    file(GLOB test_sources CONFIGURE_DEPENDS "${tests}/*.cc")
  endif()
  if(test_sources)
    add_executable(test_${module} ${test_sources})
    target_include_directories(test_${module} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(test_${module} PRIVATE
      TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/.."
      TRUNKLINE_TEST_LIBRARIES="${CMAKE_CURRENT_BINARY_DIR}"
      TRUNKLINE_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/test/vectors")
    target_link_libraries(test_${module} PRIVATE trunkline_${module} GTest::gtest_main)
    # The modules are tested, optimized as they ship; with -O1 their tests compile in three quarters of the time, and with -O0
    # under a sanitizer in less.
    if(TRUNKLINE_SANITIZE)
      target_compile_options(test_${module} PRIVATE -O0)
    else()
      target_compile_options(test_${module} PRIVATE -O1)
    endif()
    list(LENGTH test_sources files)
    if(TRUNKLINE_PCH AND files GREATER 4)
      target_precompile_headers(test_${module} PRIVATE ${TRUNKLINE_COMMON_HEADERS} <gtest/gtest.h>)
    endif()
    gtest_discover_tests(test_${module} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  endif()
endforeach()

# The 8-bit products once more on lesser processors, emulated by qemu: with SSE4 alone, and with AVX2 but no VNNI.
find_program(TRUNKLINE_QEMU qemu-x86_64)
if(TRUNKLINE_QEMU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  foreach(processor Nehalem Haswell)
    add_test(NAME ${processor}.Int8 COMMAND ${TRUNKLINE_QEMU} -cpu ${processor} $<TARGET_FILE:test_onnx>
      --gtest_filter=Int8.* --gtest_brief=1)
    set_tests_properties(${processor}.Int8 PROPERTIES TIMEOUT 600)
  endforeach()
endif()

# Recognition once more as a processor without VNNI does it, where this one has more than AVX2. The engine's kernels and the
# form of the weights are then those of AVX2; the library's own kernels have no such switch.
set(more_than_avx2 "")
if(EXISTS /proc/cpuinfo AND TRUNKLINE_X86)
  file(STRINGS /proc/cpuinfo more_than_avx2 REGEX "^flags.*(avx512f|avx_vnni)" LIMIT_COUNT 1)
endif()
if(more_than_avx2)
  add_test(NAME avx2.Recognition COMMAND test_asr --gtest_filter=-*.LongForm* --gtest_brief=1)
  add_test(NAME avx2.LongFormRecognition COMMAND test_asr --gtest_filter=*.LongForm* --gtest_brief=1)
  add_test(NAME avx2.TranscribeJob COMMAND test_hear --gtest_filter=TranscribeJobTest.* --gtest_brief=1)
  add_test(NAME avx2.Int8 COMMAND test_onnx --gtest_filter=Int8.* --gtest_brief=1)
  # The longest test begins first, so that the others run beside it.
  set_tests_properties(avx2.Recognition avx2.LongFormRecognition avx2.TranscribeJob avx2.Int8 PROPERTIES
    ENVIRONMENT TRUNKLINE_CPU=avx2 TIMEOUT 900 COST 100)
endif()

# Programs that measure a setting on recordings, by the engine's own classes in virtual time:
# native/test/measure/NAME.cc -> measure_NAME.
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

foreach(module text tts hear speak omni)
  if(TARGET test_${module})
    add_dependencies(test_${module} trunkline-phonemes)
    target_compile_definitions(test_${module} PRIVATE TRUNKLINE_PHONEMES="$<TARGET_FILE:trunkline-phonemes>")
  endif()
endforeach()
foreach(module onnx asr engine hear omni speak)
  if(TARGET test_${module})
    add_dependencies(test_${module} ${fake_libraries})
  endif()
endforeach()
