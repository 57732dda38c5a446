# SPDX-License-Identifier: GPL-2.0-or-later
# Before packages are made: without these CPack makes packages that depend on nothing, and only warns.
if(CPACK_GENERATOR MATCHES "DEB")
    foreach(program dpkg-shlibdeps file)
        find_program(found_${program} ${program} PATHS ENV PATH NO_DEFAULT_PATH)
        if(NOT found_${program})
            message(FATAL_ERROR "${program} is missing, which finds out what a package depends on: install dpkg-dev and file")
        endif()
    endforeach()
endif()

# Folders above those that CMake makes have the permissions that the umask leaves.
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
