# SPDX-License-Identifier: GPL-2.0-or-later
# The catalogue and the cases, and what is made from them: README.md.
set(IWARP_RULES ${CMAKE_CURRENT_LIST_DIR})
foreach(layer mpa ddp rdmap rpcrdma rpc nfs)
    list(APPEND rule_tables ${IWARP_RULES}/${layer}.tsv)
    list(APPEND rule_cases ${IWARP_RULES}/${layer}.cases)
endforeach()

# iwarp_rules(OUT.c WHAT): WHAT of the cases, as C.
function(iwarp_rules out what)
    add_custom_command(OUTPUT ${out}
        COMMAND Python3::Interpreter ${IWARP_RULES}/cases.py ${what} ${out} ${rule_cases} ${rule_tables}
        DEPENDS ${IWARP_RULES}/cases.py ${IWARP_RULES}/suites.py ${IWARP_RULES}/catalogue.py ${rule_cases} ${rule_tables}
        VERBATIM)
endfunction()

# iwarp_suites(TARGET FOLDER C...): the cases of the suites, FOLDER/ROOM.inc for each of these files that has some.
function(iwarp_suites target folder)
    foreach(room ${ARGN})
        file(STRINGS ${room} suite REGEX "^const struct suite [a-z0-9_]+ =")
        if(suite)
            get_filename_component(name ${room} NAME_WE)
            list(APPEND outputs ${folder}/${name}.inc)
        endif()
    endforeach()
    add_custom_command(OUTPUT ${outputs}
        COMMAND Python3::Interpreter ${IWARP_RULES}/cases.py suites ${folder} ${rule_cases} ${rule_tables} ${ARGN}
        DEPENDS ${IWARP_RULES}/cases.py ${IWARP_RULES}/suites.py ${IWARP_RULES}/catalogue.py ${rule_cases} ${rule_tables} ${ARGN}
        VERBATIM)
    target_sources(${target} PRIVATE ${outputs})
    target_include_directories(${target} PRIVATE ${folder})
endfunction()
