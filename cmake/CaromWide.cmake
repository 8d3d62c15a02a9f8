# Kernels that use wider instructions than the platform's baseline where the machine has them, with the same results.
#
#   carom_wide_kernels(math block_kernels.cpp)
#
# compiles src/math/block_kernels.cpp three times: for the baseline, for AVX2 and for AVX-512. The macro CAROM_WIDE is
# the namespace to put the code into (baseline, avx2, avx512) and CAROM_VECTOR_BYTES the length of a vector. Whoever
# calls a kernel chooses with "base/simd.h". All three are there on every platform: where the compiler has no such
# flags, they are the same code, and the wider ones are never chosen.
# A kernel's file and what it includes must define no inline functions: the linker keeps one copy of those for the whole
# program, and it might be one with instructions that the machine does not have. Arithmetic stays free of contraction,
# and sums have an order that does not depend on the length of a vector: then all three give the same bits.
include(CheckCXXCompilerFlag)

# carom_wide_flags(RESULT BYTES name flag...) gives the flags and the vector's length, or none and the baseline's.
function(carom_wide_flags result bytes name length)
  string(JOIN " " flags ${ARGN})
  check_cxx_compiler_flag("${flags}" CAROM_COMPILES_${name})
  if(CAROM_COMPILES_${name} AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(${result} ${ARGN} PARENT_SCOPE)
    set(${bytes} ${length} PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
    set(${bytes} 16 PARENT_SCOPE)
  endif()
endfunction()

function(carom_wide_kernels module)
  carom_wide_flags(avx2_flags avx2_bytes AVX2 32 -mavx2)
  carom_wide_flags(avx512_flags avx512_bytes AVX512 64
    -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512)
  # What functions look like to others does not depend on vectors: none is passed between files.
  set(common $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
  foreach(file IN LISTS ARGN)
    set(source ${PROJECT_SOURCE_DIR}/src/${module}/${file})
    cmake_path(GET file STEM stem)
    set_source_files_properties(${source} PROPERTIES
      COMPILE_DEFINITIONS "CAROM_WIDE=baseline;CAROM_VECTOR_BYTES=16" COMPILE_OPTIONS "${common}")
    foreach(width IN ITEMS avx2 avx512)
      set(copy ${PROJECT_BINARY_DIR}/generated/wide/${module}/${stem}_${width}.cpp)
      file(CONFIGURE OUTPUT ${copy} @ONLY CONTENT "#include \"@source@\"  // NOLINT(bugprone-suspicious-include)\n")
      set_source_files_properties(${copy} PROPERTIES
        COMPILE_DEFINITIONS "CAROM_WIDE=${width};CAROM_VECTOR_BYTES=${${width}_bytes}"
        COMPILE_OPTIONS "${common};${${width}_flags}")
      target_sources(carom_${module} PRIVATE ${copy})
    endforeach()
  endforeach()
endfunction()
