# The engine without its kinds of lanes and jobs, which need every other room: what threads and JavaScript share. Built
# only for programs that ask for it, where the whole engine would take minutes (the short form of scripts/sanitize.mjs).
set(core base64 carrier_json engine inference_pool job_table lane_io loopback_lane media_loop notices options outbox
    preparation services slot_table task wake_gate)
list(TRANSFORM core PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/engine/")
list(TRANSFORM core APPEND ".cc")
add_library(trunkline_engine_core STATIC EXCLUDE_FROM_ALL ${core})
target_include_directories(trunkline_engine_core PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(trunkline_engine_core PUBLIC trunkline_base trunkline_onnx Threads::Threads ${CMAKE_DL_LIBS})
