# Siconos's numerics, an oracle for tests and nothing else. Its own package file fails where the rest of Siconos is not
# installed, so the parts are looked for one by one.
find_path(CAROM_SICONOS_INCLUDE FrictionContactProblem.h PATH_SUFFIXES siconos/numerics)
find_path(CAROM_SICONOS_CONFIG SiconosConfig.h PATH_SUFFIXES siconos)
find_path(CAROM_CSPARSE_INCLUDE cs.h PATH_SUFFIXES suitesparse)
find_library(CAROM_SICONOS_NUMERICS siconos_numerics)
find_library(CAROM_SICONOS_EXTERNALS siconos_externals)
set(CAROM_HAS_SICONOS ON)
foreach(part CAROM_SICONOS_INCLUDE CAROM_SICONOS_CONFIG CAROM_CSPARSE_INCLUDE CAROM_SICONOS_NUMERICS CAROM_SICONOS_EXTERNALS)
  mark_as_advanced(${part})
  if(NOT ${part})
    set(CAROM_HAS_SICONOS OFF)
  endif()
endforeach()
