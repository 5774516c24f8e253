# trunkline-phonemes: the one program that loads libespeak-ng (GPL), a process apart. It links nothing of the engine.
add_executable(trunkline-phonemes "${CMAKE_CURRENT_SOURCE_DIR}/phonemes/main.cc")
target_compile_options(trunkline-phonemes PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
target_link_libraries(trunkline-phonemes PRIVATE ${CMAKE_DL_LIBS})
if(CMAKE_LIBRARY_OUTPUT_DIRECTORY)
  set_target_properties(trunkline-phonemes PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
endif()
