# cmake -DWEB=web -DNPM=npm [-DSTAMP=file] -P install_web_packages.cmake
# Installs what web/package-lock.json names, unless that very list is there already. Several builds may come at once.
file(LOCK ${WEB}/.install.lock GUARD PROCESS TIMEOUT 600)
file(SHA256 ${WEB}/package-lock.json wanted)
set(note ${WEB}/node_modules/.installed-lock)
if(EXISTS ${note})
  file(READ ${note} installed)
endif()
if(NOT "${installed}" STREQUAL "${wanted}")
  # No package of ours needs its install script.
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund
    WORKING_DIRECTORY ${WEB} RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "npm could not install the packages of the replay page. The first build needs the network; "
      "-DCAROM_WEB=OFF builds Carom without the page.")
  endif()
  file(WRITE ${note} ${wanted})
endif()
if(STAMP)
  file(TOUCH ${STAMP})
endif()
