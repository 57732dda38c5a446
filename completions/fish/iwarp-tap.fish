# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for iwarp-tap.
complete -c iwarp-tap -s w -l write -r -F -d 'the capture; -: standard output'
complete -c iwarp-tap -l peer -x -d 'only connections with this peer'
complete -c iwarp-tap -l port -x -d 'only connections of this port'
complete -c iwarp-tap -l headers -d 'no file data'
complete -c iwarp-tap -s s -l snap -x -d 'octets of each packet'
complete -c iwarp-tap -s c -l count -x -d 'end after so many packets'
complete -c iwarp-tap -s d -l duration -x -d 'end after so many seconds'
complete -c iwarp-tap -s C -l size -x -d 'end after so many million octets'
complete -c iwarp-tap -s Z -l user -x -a '(__fish_complete_users)' -d 'the user that root becomes'
complete -c iwarp-tap -s h -l help -d 'show help'
complete -c iwarp-tap -l version -d 'show the version'
