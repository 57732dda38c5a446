# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for iwarp-gen. Commands and options are those of --help, names those of "list".

function __iwarp_gen_commands
    iwarp-gen --help | string replace -rf '^  ([a-z]+) {2,}(.*)' '$1\t$2'
end

# The command that the line has before the cursor.
function __iwarp_gen_command
    set -l commands (__iwarp_gen_commands | string split -f1 \t)
    for word in (commandline -opc)[2..-1]
        contains -- $word $commands; and echo $word; and return
    end
    return 1
end

function __iwarp_gen_list --argument-names list column
    iwarp-gen list $list | cut -f$column | sort -u
end

# The values of an option; nothing: files.
function __iwarp_gen_values --argument-names option command
    switch $option
        case --inject
            __iwarp_gen_list faults 1
        case --net
            printf '%s=\n' loss reorder dup resegment capture-loss delay jitter window tso
        case --format
            test $command = learn; and printf '%s\n' text json svg; or printf '%s\n' text json junit html tap
        case --alphabet
            printf '%s\n' startup rpc reply
        case --against
            printf '%s\n' standard
        case --inputs
            __iwarp_gen_list inputs 1
        case --suite
            __iwarp_gen_list tests 2
            __iwarp_gen_list pairs 2
        case --strength
            printf '%s\n' 2 3
        case --rules --skip
            __iwarp_gen_list tests 1
        case --misbehave
            __iwarp_gen_list mutants 1
        case --service
            test $command = serve; and printf '%s\n' rping echo rpc sink nfs; or printf '%s\n' none echo rpc nfs
        case --as-device
            printf '%s\n' echo rpc
        case --mpa
            printf '%s=\n' rev ird ord crc markers rtr data
        case --nfs-version
            printf '%s\n' 3 4.0 4.1 4.2
        case --transcript
            printf '%s\n' short full
        case --advert
            printf '%s\n' IWT1 LAB1 send none
    end
end

function __iwarp_gen_complete
    set -l token (commandline -ct)
    set -l command (__iwarp_gen_command)
    set -l option (string match -rg '^(--[a-z-]+)=' -- $token)
    if test -z "$command"
        __iwarp_gen_commands
        string match -q -- '-*' $token; and printf '%s\n' --help --version
    else if test -n "$option"
        set -l values (__iwarp_gen_values $option $command)
        if set -q values[1]
            printf '%s\n' (string match -r '^--[a-z-]+=(?:.*,)?' -- $token)$values
        else
            printf "$option=%s\n" (__fish_complete_path (string replace -r '^--[a-z-]+=' '' -- $token))
        end
    else if string match -q -- '-*' $token
        iwarp-gen $command --help | string replace -rf '^  (?:-\w, |    )(--[a-z-]+=?)\S*(?: {2,}(.*))?$' '$1\t$2'
    else if not string match -qr -- '^-[ow]$' (commandline -opc)[-1]
        switch $command
            case play connect listen
                iwarp-gen list scenarios
                __fish_complete_path $token
            case help
                __iwarp_gen_commands
            case list
                iwarp-gen list --help | string replace -rf '^ *iwarp-gen list ' '' | string split '|'
            case report
                __fish_complete_path $token
        end
    else
        __fish_complete_path $token
    end
end

complete -c iwarp-gen -f -a '(__iwarp_gen_complete)'
