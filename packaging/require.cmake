# SPDX-License-Identifier: GPL-2.0-or-later
# Runs before packages are made: without these programs CPack makes packages without dependencies, and only warns.
if(CPACK_GENERATOR MATCHES "DEB")
    foreach(program dpkg-shlibdeps file)
        find_program(found_${program} ${program} PATHS ENV PATH NO_DEFAULT_PATH)
        if(NOT found_${program})
            message(FATAL_ERROR "${program} is missing, which finds out what a package depends on: install dpkg-dev and file")
        endif()
    endforeach()
endif()

# Parents of CMake's directories get their permissions from the umask.
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
