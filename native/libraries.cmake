# Libraries of the system that telephony uses where they are installed:
#   apt-get install libopus-dev libsrtp2-dev libsofia-sip-ua-dev
# The build succeeds without them; a call that needs one fails with its name (`npx trunkline doctor` lists them).
# A library that an earlier configuration did not find, or that is gone, is looked for again.
foreach(found TRUNKLINE_OPUS_INCLUDE TRUNKLINE_OPUS_LIBRARY TRUNKLINE_SRTP_INCLUDE TRUNKLINE_SRTP_LIBRARY
        TRUNKLINE_SOFIA_INCLUDE TRUNKLINE_SOFIA_LIBRARY)
  if(NOT EXISTS "${${found}}")
    unset(${found} CACHE)
  endif()
endforeach()
find_path(TRUNKLINE_OPUS_INCLUDE opus.h PATH_SUFFIXES opus)
find_library(TRUNKLINE_OPUS_LIBRARY opus)
find_path(TRUNKLINE_SRTP_INCLUDE srtp2/srtp.h)
find_library(TRUNKLINE_SRTP_LIBRARY srtp2)
find_path(TRUNKLINE_SOFIA_INCLUDE sofia-sip/nua.h PATH_SUFFIXES sofia-sip-1.12 sofia-sip-1.13)
find_library(TRUNKLINE_SOFIA_LIBRARY sofia-sip-ua)
option(TRUNKLINE_WITHOUT_TELEPHONY_LIBRARIES "build as if none of them were installed" OFF)

function(trunkline_link_telephony target)
  if(TRUNKLINE_WITHOUT_TELEPHONY_LIBRARIES)
    return()
  endif()
  if(TRUNKLINE_OPUS_INCLUDE AND TRUNKLINE_OPUS_LIBRARY)
    target_compile_definitions(${target} PRIVATE TRUNKLINE_OPUS)
    target_include_directories(${target} SYSTEM PRIVATE "${TRUNKLINE_OPUS_INCLUDE}")
    target_link_libraries(${target} PRIVATE "${TRUNKLINE_OPUS_LIBRARY}")
  endif()
  if(TRUNKLINE_SRTP_INCLUDE AND TRUNKLINE_SRTP_LIBRARY)
    target_compile_definitions(${target} PRIVATE TRUNKLINE_SRTP)
    target_include_directories(${target} SYSTEM PRIVATE "${TRUNKLINE_SRTP_INCLUDE}")
    target_link_libraries(${target} PRIVATE "${TRUNKLINE_SRTP_LIBRARY}")
  endif()
endfunction()
