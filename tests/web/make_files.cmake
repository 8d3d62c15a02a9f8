# cmake -DPROGRAM=carom -DFOLDER=web-artefacts -DSCENES=tests/web -P make_files.cmake
# Runs short versions of the scenes with every output that the browser tests look at.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(
  COMMAND ${PROGRAM} run stack --suite mirtich --duration 0.5 --html ${FOLDER}/impacts.html
          --events ${FOLDER}/impacts-events.csv
  COMMAND_ERROR_IS_FATAL ANY)
# One scene by three suites, and each of them alone.
execute_process(
  COMMAND ${PROGRAM} compare cradle --suites sequential,exact,mirtich --duration 2 --json --html ${FOLDER}/compare.html
  OUTPUT_FILE ${FOLDER}/compare.json
  COMMAND_ERROR_IS_FATAL ANY)
foreach(suite sequential exact mirtich)
  execute_process(
    COMMAND ${PROGRAM} run cradle --suite ${suite} --duration 2 --quiet --trajectory ${FOLDER}/compare-${suite}.csv
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
# Suites that fail are rows that say so, on the page as well.
execute_process(
  COMMAND ${PROGRAM} compare ${SCENES}/mote.scene.json --suites exact,lcp --html ${FOLDER}/compare-failed.html
  RESULT_VARIABLE status)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "carom compare mote.scene.json ended with ${status}")
endif()
foreach(run "hourglass;hourglass;2" "cradle;cradle;4" "wild;${SCENES}/wild.scene.json;3")
  list(GET run 0 name)
  list(GET run 1 scene)
  list(GET run 2 duration)
  execute_process(
    COMMAND ${PROGRAM} run ${scene} --duration ${duration} --html ${FOLDER}/${name}.html --gltf ${FOLDER}/${name}.glb
            --trajectory ${FOLDER}/${name}.csv
    RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "carom run ${scene} ended with ${status}")
  endif()
endforeach()
