# How every folder of src/ becomes a library and a test program.

add_library(armature_flags INTERFACE)
target_compile_options(armature_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer -g1)
# g++ 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(armature_flags INTERFACE -Wno-restrict)
endif()
target_include_directories(armature_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(ARMATURE_SANITIZE)
  target_compile_options(armature_flags INTERFACE -fsanitize=${ARMATURE_SANITIZE} -O1 -g)
  target_link_options(armature_flags INTERFACE -fsanitize=${ARMATURE_SANITIZE})
  if(ARMATURE_SANITIZE STREQUAL "address")
    target_compile_options(armature_flags INTERFACE -fsanitize=undefined -fno-sanitize-recover=undefined)
    target_link_options(armature_flags INTERFACE -fsanitize=undefined)
  endif()
endif()

# armature_library(NAME [SOURCES …] [DEPS …] [TESTS …] [TEST_DEPS …])
#   library target armature_NAME; if TESTS are given, a GoogleTest program NAME_test
#   whose cases ctest knows by name.
function(armature_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  set(target armature_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_link_libraries(${target} PUBLIC armature_flags ${ARG_DEPS})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE armature_flags ${ARG_DEPS})
  endif()
  if(ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_DEPS} GTest::gmock GTest::gtest_main)
    include(GoogleTest)
    gtest_discover_tests(${name}_test PROPERTIES LABELS unit TIMEOUT 300 DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# armature_fuzzer(NAME SOURCES …): a libFuzzer program with AddressSanitizer and UBSan, only in the build of `./dev fuzz`
# (clang). It lists what it needs of other folders by source, so that no more than that is built with clang.
function(armature_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT ARMATURE_FUZZ)
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE armature_flags ${ARG_DEPS})
  set(sanitizers -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
  target_compile_options(${name} PRIVATE ${sanitizers} -O1 -g)
  target_link_options(${name} PRIVATE ${sanitizers})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
