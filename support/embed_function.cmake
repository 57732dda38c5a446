# SPDX-License-Identifier: GPL-2.0-or-later
# A text file as the C string NAME in the sources of a target.
set(embed ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
function(iwarp_embed target file name)
    get_filename_component(in ${file} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -DIN=${in} -DOUT=${out} -DNAME=${name} -P ${embed}
        DEPENDS ${in} ${embed}
        VERBATIM
    )
    target_sources(${target} PRIVATE ${out})
endfunction()
