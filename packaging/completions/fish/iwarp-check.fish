# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for iwarp-check. The options are those of --help, the rules those of the catalogue.

function __iwarp_check_rules
    iwarp-check --list-rules | cut -f1
end

# The values of an option; nothing: files.
function __iwarp_check_values --argument-names option
    switch $option
        case --format
            printf '%s\n' text ndjson junit html sarif github markdown tap
        case --print
            echo ndjson
        case --color
            printf '%s\n' auto always never
        case --counts
            printf '%s\n' capture connection
        case --fail-on
            printf '%s\n' error warning note never trouble
        case --profile
            printf '%s\n' ietf rdmac rfc5666
        case --rules --skip
            printf '%s\n' mpa ddp rdmap rpcrdma rpc nfs must should may stated
            __iwarp_check_rules
        case --explain --waive
            __iwarp_check_rules
        case --waivers
            iwarp-check --list-waivers | cut -f1
        case --assume
            printf 'markers=%s\n' none both to-responder to-initiator
            printf 'crc=%s\n' on off
            printf 'icrc=%s\n' on off
            echo inline=
        case --timers
            printf '%s=\n' react close reply start idle answer
        case --interface
            begin; echo kernel; command ls /sys/class/net; end
        case --relinquish-privileges
            __fish_complete_users
    end
end

function __iwarp_check_complete
    set -l token (commandline -ct)
    set -l words (commandline -opc)
    set -l option (string match -rg '^(--[a-z-]+)=' -- $token)
    set -l command
    test "$words[2]" = merge; and set command merge
    if test -n "$option"
        set -l values (__iwarp_check_values $option)
        set -q values[1]; and printf '%s\n' (string match -r '^--[a-z-]+=(?:.*,)?' -- $token)$values
        if not set -q values[1]; or test $option = --waivers # a name, or a file
            printf "$option=%s\n" (__fish_complete_path (string replace -r '^--[a-z-]+=' '' -- $token))
        end
    else if string match -q -- '-*' $token
        iwarp-check $command --help | string replace -rf '^ +(?:-\w(?: \w+)?, )?(--[a-z-]+=?)\S*(?: {2,}(.*))?$' '$1\t$2'
    else if test "$words[-1]" = -i
        __iwarp_check_values --interface
    else
        test (count $words) = 1; and printf 'merge\tmake one report of several\n'
        __fish_complete_path $token
    end
end

complete -c iwarp-check -f -a '(__iwarp_check_complete)'
