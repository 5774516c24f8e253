# Kernel benchmarks: bench/kernels/*.cc -> bench_NAME. Peers are linked where Debian's packages are installed.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/../bench/kernels/*.cc")
foreach(source IN LISTS bench_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(bench_${name} "${source}")
  target_include_directories(bench_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(bench_${name} PRIVATE trunkline_engine)
endforeach()
