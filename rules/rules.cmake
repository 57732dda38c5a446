# SPDX-License-Identifier: GPL-2.0-or-later
# The catalogue and the cases, and what is made from them: README.md.
set(IWARP_RULES ${CMAKE_CURRENT_LIST_DIR})
foreach(layer mpa ddp rdmap rpcrdma rpc nfs)
    list(APPEND rule_tables ${IWARP_RULES}/${layer}.tsv)
    list(APPEND rule_cases ${IWARP_RULES}/${layer}.cases)
endforeach()

# iwarp_rules(OUT.c WHAT [FILE...]): WHAT of the cases, as C; of `suites` and `mutants` with the list of their words.
function(iwarp_rules out what)
    add_custom_command(OUTPUT ${out}
        COMMAND Python3::Interpreter ${IWARP_RULES}/cases.py ${what} ${out} ${rule_cases} ${rule_tables} ${ARGN}
        DEPENDS ${IWARP_RULES}/cases.py ${IWARP_RULES}/mutant_rows.py ${IWARP_RULES}/suites.py ${IWARP_RULES}/catalogue.py ${rule_cases} ${rule_tables} ${ARGN}
        VERBATIM)
endfunction()
