# The Node addon. Its headers are those of npm packages, resolved as Node resolves them.
find_program(NODE_EXE node REQUIRED)
get_filename_component(TRUNKLINE_ROOT "${CMAKE_CURRENT_SOURCE_DIR}/.." ABSOLUTE)
function(trunkline_node_print out code)
  execute_process(COMMAND "${NODE_EXE}" -p "${code}" WORKING_DIRECTORY "${TRUNKLINE_ROOT}"
    OUTPUT_VARIABLE value OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${out} "${value}" PARENT_SCOPE)
endfunction()
trunkline_node_print(NAPI_HEADERS "require('path').resolve(require('node-api-headers').include_dir)")
trunkline_node_print(NAPI_CXX_HEADERS "require('path').resolve(require('node-addon-api').include_dir)")

file(GLOB binding_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/binding/*.cc")
add_library(trunkline_addon SHARED ${binding_sources})
set_target_properties(trunkline_addon PROPERTIES OUTPUT_NAME trunkline PREFIX "" SUFFIX ".node")
target_include_directories(trunkline_addon SYSTEM PRIVATE "${NAPI_HEADERS}" "${NAPI_CXX_HEADERS}")
target_compile_definitions(trunkline_addon PRIVATE NAPI_VERSION=9 NAPI_DISABLE_CPP_EXCEPTIONS)
target_compile_options(trunkline_addon PRIVATE -Wall -Wextra)
target_link_libraries(trunkline_addon PRIVATE
  trunkline_omni trunkline_cast trunkline_rtp trunkline_echo trunkline_denoise trunkline_amd trunkline_hear trunkline_speak
  trunkline_dub
  trunkline_embed trunkline_provenance trunkline_guard trunkline_engine trunkline_dsp trunkline_base)
if(APPLE)
  target_link_options(trunkline_addon PRIVATE -undefined dynamic_lookup)
endif()
