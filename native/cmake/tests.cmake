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
  list(APPEND fake_libraries ${name})
endforeach()

foreach(room base dsp onnx text vad asr tts amd engine)
  file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/${room}/*.cc")
  if(test_sources)
    add_executable(test_${room} ${test_sources})
    target_include_directories(test_${room} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_compile_definitions(test_${room} PRIVATE
      TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/.."
      TRUNKLINE_TEST_LIBRARIES="${CMAKE_CURRENT_BINARY_DIR}"
      TRUNKLINE_VECTORS="${CMAKE_CURRENT_SOURCE_DIR}/test/vectors")
    target_link_libraries(test_${room} PRIVATE trunkline_${room} GTest::gtest_main)
    gtest_discover_tests(test_${room} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  endif()
endforeach()

# The tests of the engine that need no kind but the loopback.
set(core_tests allocation carrier_json engine inference_pool job options outbox services threads)
list(TRANSFORM core_tests PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/test/engine/")
list(TRANSFORM core_tests APPEND "_test.cc")
add_executable(test_engine_core EXCLUDE_FROM_ALL ${core_tests})
target_include_directories(test_engine_core PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(test_engine_core PRIVATE TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/..")
target_link_libraries(test_engine_core PRIVATE trunkline_engine_core GTest::gtest_main)

# What recordings tell of a setting, by the engine's own classes in virtual time: native/test/measure/NAME.cc -> measure_NAME.
file(GLOB measure_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/test/measure/*.cc")
foreach(source IN LISTS measure_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(measure_${name} EXCLUDE_FROM_ALL "${source}")
  target_include_directories(measure_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_definitions(measure_${name} PRIVATE
    TRUNKLINE_ROOT="${CMAKE_CURRENT_SOURCE_DIR}/.." TRUNKLINE_PHONEMES="$<TARGET_FILE:trunkline-phonemes>")
  target_link_libraries(measure_${name} PRIVATE trunkline_engine GTest::gtest)
  add_dependencies(measure_${name} trunkline-phonemes)
endforeach()

foreach(room text tts engine)
  if(TARGET test_${room})
    add_dependencies(test_${room} trunkline-phonemes)
    target_compile_definitions(test_${room} PRIVATE TRUNKLINE_PHONEMES="$<TARGET_FILE:trunkline-phonemes>")
  endif()
endforeach()
if(TARGET test_onnx)
  add_dependencies(test_onnx ${fake_libraries})
endif()
