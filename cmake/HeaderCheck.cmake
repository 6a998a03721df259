# header_check: compiles every header of src/ alone, so that each includes what it needs.
# Not part of `all`; `./dev lint` builds it.

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.h)
set(sources)
foreach(header ${headers})
  string(REGEX REPLACE "[/.]" "_" name ${header})
  set(source ${PROJECT_BINARY_DIR}/header_check/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
  list(APPEND sources ${source})
endforeach()
add_library(header_check OBJECT EXCLUDE_FROM_ALL ${sources})
foreach(folder base model storage expr net wire auth query oidc sts iam_api table partiql workers triggers api front front_testing cli server arena)
  target_link_libraries(header_check PRIVATE armature_${folder})
endforeach()
target_link_libraries(header_check PRIVATE GTest::gmock benchmark::benchmark)
add_dependencies(header_check armature_wire_generated armature_query_generated armature_api_generated)
target_compile_options(header_check PRIVATE -fsyntax-only)
set_target_properties(header_check PROPERTIES UNITY_BUILD OFF)
