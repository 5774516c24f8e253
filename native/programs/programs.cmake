# Programs of their own, which link nothing of the engine.

# trunkline-phonemes is the only program that loads libespeak-ng (GPL).
add_executable(trunkline-phonemes "${CMAKE_CURRENT_SOURCE_DIR}/programs/phonemes/main.cc")
target_compile_options(trunkline-phonemes PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
target_link_libraries(trunkline-phonemes PRIVATE ${CMAKE_DL_LIBS})
if(CMAKE_LIBRARY_OUTPUT_DIRECTORY)
  set_target_properties(trunkline-phonemes PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
endif()

# trunkline-sip is the only program that loads libsofia-sip-ua (LGPL).
if(TRUNKLINE_SOFIA_INCLUDE AND TRUNKLINE_SOFIA_LIBRARY AND NOT TRUNKLINE_WITHOUT_TELEPHONY_LIBRARIES)
  file(GLOB sip_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs/sip/*.cc")
  add_executable(trunkline-sip ${sip_sources})
  target_compile_options(trunkline-sip PRIVATE -Wall -Wextra)
  target_include_directories(trunkline-sip PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(trunkline-sip SYSTEM PRIVATE "${TRUNKLINE_SOFIA_INCLUDE}")
  target_link_libraries(trunkline-sip PRIVATE "${TRUNKLINE_SOFIA_LIBRARY}")
  if(CMAKE_LIBRARY_OUTPUT_DIRECTORY)
    set_target_properties(trunkline-sip PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  endif()
endif()
