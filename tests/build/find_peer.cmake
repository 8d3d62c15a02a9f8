# carom_find_peer finds headers and library of an engine in a folder, or says what of them is missing.
include(${SOURCE_DIR}/cmake/CaromPeer.cmake)

# check(SENTENCE_PART): what carom_find_peer now says about ${WORK_DIR}/engine; "" where it must find everything.
# Arguments behind it are those of carom_find_peer.
function(check expected)
  carom_find_peer(peer ${WORK_DIR}/engine engine/engine.h libengine.a ${ARGN})
  if(expected STREQUAL "" AND NOT peer_MISSING STREQUAL "")
    message(SEND_ERROR "expected to find the engine, and it says: ${peer_MISSING}")
  elseif(NOT expected STREQUAL "" AND NOT peer_MISSING MATCHES "${expected}")
    message(SEND_ERROR "expected \"${expected}\", and it says: \"${peer_MISSING}\"")
  endif()
  set(peer_INCLUDE ${peer_INCLUDE} PARENT_SCOPE)
  set(peer_LIBRARY ${peer_LIBRARY} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
check("is no folder")
file(MAKE_DIRECTORY ${WORK_DIR}/engine)
check("engine/engine.h is there: not its sources")
file(WRITE ${WORK_DIR}/engine/include/engine/engine.h "")
check("no libengine.a anywhere below")
file(WRITE ${WORK_DIR}/engine/build/src/libengine.a "")
check("")
if(NOT peer_INCLUDE STREQUAL ${WORK_DIR}/engine/include OR
   NOT peer_LIBRARY STREQUAL ${WORK_DIR}/engine/build/src/libengine.a)
  message(SEND_ERROR "found ${peer_INCLUDE} and ${peer_LIBRARY}")
endif()
check("no EngineConfig.cmake beside" EngineConfig.cmake)
file(WRITE ${WORK_DIR}/engine/build/src/EngineConfig.cmake "")
check("" EngineConfig.cmake)
file(WRITE ${WORK_DIR}/engine/other/libengine.a "")
check("more than one libengine.a")
