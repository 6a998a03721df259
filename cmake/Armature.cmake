# How every folder of src/ becomes a library and a test program.

add_library(armature_flags INTERFACE)
target_compile_options(armature_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer -g1)
# g++ 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(armature_flags INTERFACE -Wno-restrict)
  # Sources compiled together are included by one that is made: to g++ what they have to themselves is in a header then.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(armature_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()
# What is guarded by a mutex is touched with it only (base/mutex.h).
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(armature_flags INTERFACE -Wthread-safety)
endif()
# Relocations of position-independent programs in a hundredth of the space: less to read before main().
target_link_options(armature_flags INTERFACE -Wl,-z,pack-relative-relocs)
target_include_directories(armature_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
# Sanitizer builds are clang's: its coroutines are tail calls under sanitizers as in the release, where g++ 12 makes
# none (base/async.h), and its UBSan compiles in a third of the time. Asserts are on, the standard library's too.
if(ARMATURE_SANITIZE)
  target_compile_options(armature_flags INTERFACE -fsanitize=${ARMATURE_SANITIZE} -O1 -gline-tables-only -UNDEBUG)
  # clang has no macro that says which sanitizer it is.
  string(TOUPPER ${ARMATURE_SANITIZE} sanitizer)
  target_compile_definitions(armature_flags INTERFACE _GLIBCXX_ASSERTIONS ARMATURE_${sanitizer}_SANITIZER)
  target_link_options(armature_flags INTERFACE -fsanitize=${ARMATURE_SANITIZE})
  if(ARMATURE_SANITIZE STREQUAL "address")
    # Not vptr: it opens a pipe to see whether an object can be read, and takes EMFILE for a broken object. Not function
    # (types of functions called by pointer): clang 14 cannot compile coroutines with it.
    target_compile_options(armature_flags INTERFACE
      -fsanitize=undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
    target_link_options(armature_flags INTERFACE -fsanitize=undefined)
  endif()
endif()

# The build of `./dev fuzz` (clang): every library is watched by the fuzzer and both sanitizers. clang 14 cannot compile
# coroutines with UBSan's check of function types.
if(ARMATURE_FUZZ)
  target_compile_options(armature_flags INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=function -fno-sanitize-recover=undefined -O1)
  target_link_options(armature_flags INTERFACE -fsanitize=address,undefined)
endif()

# Sanitizer builds read what everybody includes once for a program, not once for each of its sources: a fifth of their
# time. The others do not, so that a source that lacks an include is still found.
function(armature_read_once target)
  if(ARMATURE_SANITIZE)
    target_precompile_headers(${target} PRIVATE <algorithm> <atomic> <chrono> <coroutine> <functional> <map> <memory> <optional> <span>
      <string> <string_view> <utility> <variant> <vector> <fmt/core.h> ${ARGN})
    target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)  # or else ccache could keep nothing
  endif()
endfunction()

# armature_library(NAME [SOURCES …] [DEPS …] [TESTS …] [TEST_DEPS …] [NARROW FILTER] [ALONE …])
#   library target armature_NAME; if TESTS are given, a GoogleTest program NAME_test
#   whose cases ctest knows by name, and those that FILTER lets through once more as narrow.*, on the narrow engine
#   (storage/testing/test_engine.h). ALONE: which of the sources are compiled by themselves, because they have a name in
#   their anonymous namespace that another has too: the rest is compiled several at once (ADR 0035).
function(armature_library name)
  cmake_parse_arguments(ARG "" "NARROW" "SOURCES;DEPS;TESTS;TEST_DEPS;ALONE" ${ARGN})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(target armature_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_link_libraries(${target} PUBLIC armature_flags ${ARG_DEPS})
    armature_read_once(${target})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE armature_flags ${ARG_DEPS})
  endif()
  if(ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_DEPS} GTest::gmock GTest::gtest_main)
    armature_read_once(${name}_test <gmock/gmock.h> <gtest/gtest.h>)
    include(GoogleTest)
    gtest_discover_tests(${name}_test PROPERTIES LABELS unit TIMEOUT 300 DISCOVERY_TIMEOUT 60)
    if(ARG_NARROW)
      gtest_discover_tests(${name}_test TEST_PREFIX narrow. TEST_FILTER ${ARG_NARROW} TEST_LIST ${name}_narrow_tests
        PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT ARMATURE_TEST_ENGINE=narrow DISCOVERY_TIMEOUT 60)
    endif()
  endif()
endfunction()

# armature_faults_test(NAME SOURCES … [DEPS …]): a GoogleTest program of its own, because one of its sources,
# failing_new.cc, replaces operator new and delete. Those of the thread sanitizer do not give way to them, and clang leaves them out only
# where it does not know that it links C++.
function(armature_faults_test name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  if(NOT ARG_DEPS)
    set(ARG_DEPS armature_front_testing)
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  if(ARMATURE_SANITIZE STREQUAL "thread")
    target_link_options(${name} PRIVATE --driver-mode=gcc)
    target_link_libraries(${name} PRIVATE stdc++ m)
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} PROPERTIES LABELS unit TIMEOUT 300 DISCOVERY_TIMEOUT 60)
endfunction()

# armature_fuzzer(NAME SOURCE DEPS …): SOURCE has one LLVMFuzzerTestOneInput. In the build of `./dev fuzz` it becomes the
# libFuzzer program NAME_fuzz; in every other build the ctest test fuzz.NAME replays what tools/fuzz keeps for it and
# mutates that for a second, without libFuzzer (base/testing/fuzz_replay.cc).
function(armature_fuzzer name source)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name}_fuzz ${source})
  target_link_libraries(${name}_fuzz PRIVATE ${ARG_DEPS})
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  if(ARMATURE_FUZZ)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    return()
  endif()
  target_link_libraries(${name}_fuzz PRIVATE armature_fuzz_replay)
  file(GLOB kept CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/fuzz/${name}.seeds ${PROJECT_SOURCE_DIR}/tools/fuzz/${name}.corpus)
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz ${kept})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

# armature_generate(PART FILE …): what tools/schema/generate.py makes of schema/ for a folder, under
# ${CMAKE_BINARY_DIR}/generated; the target armature_PART_generated makes it.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(armature_generate part)
  set(generator ${PROJECT_SOURCE_DIR}/tools/schema/generate.py)
  set(generators ${generator} ${PROJECT_SOURCE_DIR}/tools/schema/generate_query.py ${PROJECT_SOURCE_DIR}/tools/schema/generate_json.py)
  set(generated_dir ${CMAKE_BINARY_DIR}/generated)
  list(TRANSFORM ARGN PREPEND ${generated_dir}/ OUTPUT_VARIABLE files)
  file(GLOB schema_files CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/schema/*.json ${PROJECT_SOURCE_DIR}/schema/streams/*.json ${PROJECT_SOURCE_DIR}/schema/armature/*.json
    ${PROJECT_SOURCE_DIR}/schema/shapes/*.json)
  if(part STREQUAL "query")
    file(GLOB_RECURSE schema_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schema/iam/*.json ${PROJECT_SOURCE_DIR}/schema/sts/*.json)
  elseif(part STREQUAL "services")
    file(GLOB_RECURSE schema_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schema/dax/*.json)
  endif()
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${Python3_EXECUTABLE} ${generator} --schema ${PROJECT_SOURCE_DIR}/schema --out ${generated_dir} ${part}
    COMMAND ${CMAKE_COMMAND} -E touch ${files}
    DEPENDS ${generators} ${schema_files}
    COMMENT "Generating ${ARGN} from schema/")
  add_custom_target(armature_${part}_generated DEPENDS ${files})
endfunction()
