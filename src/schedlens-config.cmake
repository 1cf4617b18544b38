# find_package(schedlens): what a plugin library needs, which is one header.
if(NOT TARGET schedlens::plugin)
  add_library(schedlens::plugin INTERFACE IMPORTED)
  get_filename_component(schedlens_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties(schedlens::plugin PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${schedlens_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
