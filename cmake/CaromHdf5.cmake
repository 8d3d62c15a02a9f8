# HDF5, for problems of the FCLib collection. Optional: without it everything else works, and a .hdf5 file is refused with
# a message. CMake's own module wants the C language; two searches do.
set(CAROM_HDF5 AUTO CACHE STRING "Read FCLib problems (.hdf5) with the HDF5 library: ON, OFF, or AUTO (where it is found)")
set_property(CACHE CAROM_HDF5 PROPERTY STRINGS AUTO ON OFF)
find_path(CAROM_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(CAROM_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(CAROM_HDF5_INCLUDE CAROM_HDF5_LIBRARY)

set(CAROM_HAS_HDF5 ${CAROM_HDF5})
if(CAROM_HDF5 STREQUAL AUTO)
  set(CAROM_HAS_HDF5 OFF)
  if(CAROM_HDF5_INCLUDE AND CAROM_HDF5_LIBRARY)
    set(CAROM_HAS_HDF5 ON)
  endif()
elseif(CAROM_HDF5 AND NOT (CAROM_HDF5_INCLUDE AND CAROM_HDF5_LIBRARY))
  message(FATAL_ERROR "CAROM_HDF5 is ON, but the HDF5 library was not found. Install it (Debian: apt-get install "
    "libhdf5-dev), or set CAROM_HDF5=OFF and do without FCLib problems.")
endif()

set(CAROM_HDF5_LINKS "")
if(CAROM_HAS_HDF5)
  set(CAROM_HDF5_LINKS ${CAROM_HDF5_LIBRARY})
endif()

# carom_use_hdf5(TARGET) gives a target's own sources the headers.
function(carom_use_hdf5 target)
  if(CAROM_HAS_HDF5)
    target_include_directories(${target} SYSTEM PRIVATE ${CAROM_HDF5_INCLUDE})
    target_compile_definitions(${target} PRIVATE CAROM_HDF5)
  endif()
endfunction()
